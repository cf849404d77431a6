"""The answering stage of the daemon: made anew with other models, on documents that stay open."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

from assistant.answer.generation.token_scheduler import TokenScheduler
from assistant.answer.in_flight import InFlight
from assistant.answer.knowledge.knowledge import Damage, Knowledge
from assistant.answer.stage import AnswerStage
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.config import Config
from assistant.core.errors import StorageError
from assistant.core.messages import SpokenReply
from assistant.pool.local import LocalPool, LocalStage
from assistant.pool.scaling import ScalingPolicy
from assistant.serving.answer_workers import STAGE, AnswerWorkers

SET_ASIDE = {
    Damage.READ_AGAIN: "I have put it aside and am reading them all again.",
    Damage.FORGOTTEN: "I have put it aside and no longer know which documents you want. "
    "Name them again with the command assistant documents add.",
}
"""What was lost with a damaged index → what the user is told about it."""
NO_DOCUMENTS = ("storage.in_use", "storage.unwritable", "storage.full", "storage.io")
"""Codes of errors in the documents' file with which answering runs without documents."""

log = logging.getLogger(__name__)


class AnswerStageMaker:
    """Makes the answering stage, with the database `file` of knowledge, which it opens once.

    While a command such as `documents add` has locked that file, perhaps for an hour, there are no
    documents; the next stage tries again. Questions in progress are still answered when a stage is
    replaced.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.knowledge: Knowledge | None = None
        """The user's documents; None while another command has them."""
        self._in_flight = InFlight(TokenScheduler(clock=boottime_s))

    def __call__(self, composition: Composition) -> AnswerStage:
        if self.knowledge is None:
            try:
                self.knowledge = composition.answering.knowledge(self._file)
            except StorageError as error:
                if error.code not in NO_DOCUMENTS:
                    raise
                told = "answer: there are no documents until assistant reload: %s (%s)"
                log.error(told, error.message, error.code)
            else:
                self._apologise(self.knowledge.damage)
        stage = composition.answer(self.knowledge, in_flight=self._in_flight)
        self._in_flight.share_with(self._workers(composition))
        return stage

    def close(self) -> None:
        """End the workers, and close the documents."""
        self._in_flight.share_with(None)
        if self.knowledge is not None:
            self.knowledge.close()

    def _workers(self, composition: Composition) -> AnswerWorkers | None:
        """Workers for the models of now; None where none are wished, or there are no documents."""
        count = composition.config.answer.workers
        if not count or self.knowledge is None:
            return None
        policy = ScalingPolicy(least=count, most=count)
        stage = LocalStage(partial(reading_stage, composition.config, self._file), policy)
        return AnswerWorkers(partial(LocalPool, {STAGE: stage}, preload=(__name__,)))

    def _apologise(self, damage: Damage | None) -> None:
        """Tell the user of a damaged file, by work, which a process that still starts gets too."""
        if damage is not None:
            text = f"The index of your documents was damaged. {SET_ASIDE[damage]}"
            self._in_flight.tell(SpokenReply(utterance_id="index-set-aside", text=text, done=False))


def reading_stage(config: Config, index: Path) -> AnswerStage:
    """The stage of a worker, which reads the documents that another process keeps."""
    return Composition(config, asks_hub=True).answering.reading_stage(index)


def load_reader(composition: Composition) -> None:
    """Load what retrieval and reading share."""
    composition.answering.encoder  # noqa: B018 - the access loads it
