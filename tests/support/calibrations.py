"""The calibrations that ship, for stand-ins of their models."""

from __future__ import annotations

from pathlib import Path

from assistant.answer.retrieval.calibration import ReaderCalibration
from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library
from nlu.classifier.calibration import IntentCalibration, SlotCalibration

_SHIPPED = Library(Path("/nowhere"))
INTENT = read_calibration(_SHIPPED, "intent", IntentCalibration)
SLOTS = read_calibration(_SHIPPED, "ner", SlotCalibration)
READER = read_calibration(_SHIPPED, "reader", ReaderCalibration)
