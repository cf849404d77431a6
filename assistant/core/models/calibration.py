"""Calibrations: the thresholds and factors with which a model's outputs are judged.

They hold for one version of a model: another version may be as good and need other numbers. So each
version brings its own calibration, a file of the artefact like the weights, read with them.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library
from assistant.core.models.versions import MALFORMED

FILE = "calibration.json"

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A probability, or a factor that only reduces."""


Calibration = TypeVar("Calibration", bound=msgspec.Struct)


def read_calibration(library: Library, name: str, kind: type[Calibration]) -> Calibration:
    """The calibration of the version of `name` that `library` reads.

    Raises `ModelError`, which names the file and the remedy, when the file is missing, is not as
    recorded, or is not a complete `kind`.
    """
    content = library.read_file(name, FILE)
    try:
        return msgspec.json.decode(content, type=kind)
    except MALFORMED as error:
        where = library.folder(name) / FILE
        raise ModelError(
            "model.calibration", f"{where}: {error}; {library.remedy(name)}"
        ) from error
