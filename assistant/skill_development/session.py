"""A conversation with a skill that is being written: what is saved is loaded into it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path

from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.config import Config
from assistant.core.database import Database
from assistant.core.errors import AssistantError, SkillError
from assistant.core.messages import Message, StageFailed
from assistant.core.models.opened import OpenModels
from assistant.core.stage import Stage
from assistant.pipeline import Observe, run, typed
from assistant.skill_development.loading import compose
from assistant.skill_development.microphone import SpokenTo
from assistant.skill_development.testing import with_cause
from skills.revisions import Revisions


class Session:
    """The skill of `folder` beside the others, on one `state`, which stays when it is reloaded.

    `fault` says why what was saved last does not run; then what was loaded before runs on. Where
    the skill is `spoken_to`, recognition expects its sentences, and replies are spoken.
    """

    def __init__(
        self, folder: Path, config: Config, state: Database, spoken_to: SpokenTo | None = None
    ) -> None:
        self._folder, self._config, self._state = folder, config, state
        self._spoken_to = spoken_to
        self._opened, self._revisions = OpenModels(), Revisions()
        self._composition: Composition | None = None
        self._stages: Sequence[Stage] = ()
        self._ids = count(1)
        self.fault = ""

    def load(self) -> float:
        """Load the skill, and give the milliseconds that this took."""
        began_s = time.perf_counter()
        try:
            before = self._composition
            start = None
            if before is not None and before.understanding.guesses:
                start = before.understanding.intents
            composition = compose(self._folder, self._config, opened=self._opened, start=start)
            stages: tuple[Stage, ...] = (
                composition.nlu(),
                composition.skills(self._state, self._revisions),
                composition.answer(),
            )
            if self._spoken_to is not None:
                devices = self._spoken_to
                stages = (devices.audio, composition.asr(), *stages, devices.voice)
            self._stages = stages
            self._composition, self.fault = composition, ""
        except AssistantError as error:
            self.fault = error.message
        return (time.perf_counter() - began_s) * 1000

    def say(self, text: str, observe: Observe) -> list[Message]:
        """What comes of a text that is typed; raises `SkillError` where it fails or is none."""
        if self._composition is None:
            raise SkillError("skill.bad", self.fault)
        heard = typed(f"dev-{next(self._ids)}", text, boottime_s())
        return [*heard, *self._follow(heard, observe)]

    def hear(self, message: Message, observe: Observe) -> Iterator[Message]:
        """What comes of a frame, or of news of what is played; raises `AssistantError`."""
        return self._follow([message], observe)

    def _follow(self, messages: Iterable[Message], observe: Observe) -> Iterator[Message]:
        try:
            yield from run(self._stages, messages, observe)
        except SkillError as error:
            failed = StageFailed(
                stage="skills",
                code=error.code,
                message=error.message,
                part=error.part,
                at_s=boottime_s(),
            )
            yield from run(self._stages, [failed], observe)  # the voice apologises
            raise SkillError(error.code, with_cause(error), error.part) from error
