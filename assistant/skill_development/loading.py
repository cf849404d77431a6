"""One skill's folder beside the built-in skills, as its author runs it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec

import skills
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.errors import InputError, SkillError
from assistant.core.models.opened import OpenModels
from assistant.core.settings.sensors import SensorsSettings
from assistant.evaluation.specimen import specimen_home
from nlu.classifier.intent import IntentModel
from skills.isolation.host import all_granted
from skills.registry import Fault

BUILT_IN = Path(skills.__file__).resolve().parent
HOME = "home.yaml"
"""The file in a skill's folder that describes the home of its tests."""
SENSORS = "sensors.yaml"
"""The file there that lists the sensors of its tests."""


def compose(
    folder: Path,
    config: Config,
    *,
    opened: OpenModels | None = None,
    now: Callable[[], datetime] | None = None,
    start: IntentModel | None = None,
) -> Composition:
    """The skills of `config` and that of `folder`, which may be one of the built-in skills'.

    The home is that of `config`, or the folder's own, or else made up for the skills; the sensors
    are those of `config`, or the folder's own. Raises
    `SkillError` where the folder's skill cannot be loaded.
    """
    if not folder.is_dir():
        raise InputError("skill.missing", f"{folder}: there is no such folder")
    own = folder / HOME
    if not config.home.file and own.is_file():
        home = msgspec.structs.replace(config.home, file=str(own))
        config = msgspec.structs.replace(config, home=home)
    listed = folder / SENSORS
    if not config.sensors.file and listed.is_file():
        config = msgspec.structs.replace(config, sensors=SensorsSettings(file=str(listed)))
    if not is_built_in(folder):
        folders = tuple(dict.fromkeys((*config.skills.folders, str(folder))))
        # Its author tries it where no harm is done: it may use what it asks for.
        grants = config.skills.grants | all_granted([folder])
        settings = msgspec.structs.replace(config.skills, folders=folders, grants=grants)
        config = msgspec.structs.replace(config, skills=settings)
    composition = Composition(
        *(config,),
        opened=opened,
        now=now,
        made_up=specimen_home,
        told=_ignored,
        start=start,
    )
    _ = composition.understanding  # compiles every sentence, and refuses what has a wrong one
    if not is_built_in(folder):
        name_of(folder, composition)
    return composition


def is_built_in(folder: Path) -> bool:
    """Whether a folder is one of the assistant's own skills, which run anyway."""
    return folder.resolve().is_relative_to(BUILT_IN)


def name_of(folder: Path, composition: Composition) -> str:
    """The name of the skill in a folder; raises `SkillError` with the reason it does not run."""
    if is_built_in(folder):
        return folder.name
    registry = composition.registry
    name = registry.origins.get(str(folder))
    for fault in registry.faults:
        if fault.skill in (str(folder), name):
            raise SkillError("skill.bad", fault.message)
    return name or ""


def _ignored(fault: Fault) -> None:
    """Left for `name_of`, or none of the author's business."""
