"""What is done before a skill is installed: its own tests, and a check beside all others.

Its code runs in its sandbox, in a process of its own, as it does in the daemon.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from assistant.composition import Composition
from assistant.core.clock import time_zone
from assistant.core.config import Config
from assistant.skill_development.cases import load_tests
from assistant.skill_development.check import Progress, SkillsCheck, check_one
from assistant.skill_development.loading import HOME, compose, name_of
from assistant.skill_development.testing import (
    PRESENT,
    Chain,
    Failure,
    as_typed,
    run_tests,
)
from skills.isolation.package import read_package


def failures(draft: Path, config: Config, progress: Progress) -> list[Failure]:
    """What fails of a skill's tests, beside the built-in skills and in the home that it brings.

    Raises `InputError` where it brings no tests, `SkillError` where it does not run.
    """
    own = read_package(draft).folder
    tests = load_tests(own)
    home = str(own / HOME) if (own / HOME).is_file() else ""
    alone = Config(storage=config.storage)
    alone = msgspec.structs.replace(alone, home=msgspec.structs.replace(alone.home, file=home))
    now = PRESENT.replace(tzinfo=time_zone(""))
    composition = compose(draft, alone, now=lambda: now)
    with progress("testing") as told:
        return list(run_tests(tests, Chain(composition, (), as_typed), told))


def conflicts(draft: Path, config: Config, progress: Progress) -> SkillsCheck:
    """What the check of all skills finds of this one, beside those that are installed."""
    composition = compose(draft, config)
    return check_one(composition, name_of(draft, composition), progress, confusable=False)


def make_ready(draft: Path, config: Config, granted: tuple[str, ...]) -> None:
    """Fit the models to the skills with this one, and make the recogniser's network of them.

    That takes seconds, and lies then in the cache, where a running assistant finds it.
    """
    name = read_package(draft).name
    skills = msgspec.structs.replace(
        config.skills,
        folders=(*config.skills.folders, str(draft)),
        grants=config.skills.grants | {name: granted},
    )
    composition = Composition(msgspec.structs.replace(config, skills=skills))
    if composition.understanding.guesses:
        _ = composition.understanding.intents
    composition.recognition.prepare()
