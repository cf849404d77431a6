"""How sure each engine may be, as it is shipped."""

from __future__ import annotations

from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library
from audio.asr.calibration import HearingCalibration
from audio.build import HEARING
from tests.conftest import REPOSITORY

BELIEF = read_calibration(Library(REPOSITORY / "models"), HEARING, HearingCalibration)
