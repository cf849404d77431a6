"""The stages that the hub serves, made for a tenant: those of the daemon, on a state of their own.

Nothing of the daemon's own state is read: neither its documents nor its recordings, nor the home
that its bridge described.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import ClassVar

from assistant.answer.generation.stage import GeneratorStage
from assistant.answer.generation.token_scheduler import TokenScheduler
from assistant.answer.in_flight import InFlight
from assistant.answer.stage import AnswerStage
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.config import Config, HomeSettings, StorageSettings
from assistant.core.errors import ModelError, SpeakingError
from assistant.core.layout import ASR
from assistant.core.messages import Message
from assistant.core.models.manifest import Library
from assistant.core.settings.documents import DocumentsSettings
from assistant.core.settings.skills import SkillsSettings
from assistant.core.stage import Stage
from assistant.documents.local import consult
from assistant.hub.phrases import GENERATOR, PhrasesElsewhere
from assistant.hub.ray.replica import MakeStage, Shared
from assistant.hub.rollout.versions import library_of
from assistant.hub.tenants import Tenant
from assistant.pool.pool import Pool

NLU, ANSWER, VOICE = "nlu", "answer", "voice"

Make = Callable[[Config, Tenant, Library], Stage]

log = logging.getLogger(__name__)


def makers(
    config: Config,
    tenants: Mapping[str, Tenant],
    pinned: Mapping[str, str],
    beside: Callable[[], Pool] | None = None,
) -> dict[str, MakeStage]:
    """Stage → what makes it for a tenant, with the `pinned` version of each model.

    Where no voice is installed, nothing is spoken. Answers are worded by the generator of the pool
    that `beside` gives, in the process of answers; without it, by one of their own.
    """
    made: dict[str, Make] = {ASR: _asr, NLU: _nlu, ANSWER: partial(_answer, beside)}
    try:
        Composition(config, library=library_of(config.models_dir, pinned)).voice()
    except SpeakingError as error:
        log.warning("the hub speaks nothing: %s (%s)", error.message, error.code)
    else:
        made[VOICE] = _voice
    of = config, dict(tenants), dict(pinned)
    theirs = {stage: partial(_make, make, *of) for stage, make in made.items()}
    ours = {GENERATOR: Shared(partial(_generator, config, dict(pinned)))} if beside else {}
    return {**theirs, **ours}


def config_of(config: Config, name: str, tenant: Tenant) -> Config:
    """The settings of a tenant: those of models and languages are the hub's."""
    home = HomeSettings(file=tenant.home, time_zone=config.home.time_zone)
    storage = StorageSettings(
        state=str(config.state_dir / "hub" / name),
        runtime=config.storage.runtime,
        cache=config.storage.cache,
        models=str(config.models_dir),
    )
    return Config(
        asr=config.asr,
        nlu=config.nlu,
        answer=config.answer,
        voice=config.voice,
        models=config.models,
        home=home,
        skills=SkillsSettings(folders=tenant.skills, disabled=tenant.without, grants=tenant.grants),
        documents=DocumentsSettings(),
        storage=storage,
    )


def _make(
    make: Make,
    config: Config,
    tenants: Mapping[str, Tenant],
    pinned: Mapping[str, str],
    name: str,
) -> Stage:
    library = library_of(config.models_dir, pinned)
    return make(config_of(config, name, tenants[name]), tenants[name], library)


def _asr(config: Config, tenant: Tenant, library: Library) -> Stage:
    return Composition(config, library=library).asr()


def _nlu(config: Config, tenant: Tenant, library: Library) -> Stage:
    return Composition(config, library=library).nlu()


def _voice(config: Config, tenant: Tenant, library: Library) -> Stage:
    return Composition(config, library=library).voice()


def _generator(config: Config, pinned: Mapping[str, str], _: str) -> Stage:
    library = library_of(config.models_dir, pinned)
    phraser = Composition(config, library=library).answering.phraser
    with suppress(ModelError):  # which each request is told, as it may be there later
        phraser.open()
    return GeneratorStage(phraser, TokenScheduler(clock=boottime_s))


def _answer(
    beside: Callable[[], Pool] | None, config: Config, tenant: Tenant, library: Library
) -> Stage:
    """Answers from the documents, which are read into memory: replicas share no file."""
    in_flight = InFlight(TokenScheduler(clock=boottime_s))
    composition = Composition(config, library=library)
    if not tenant.documents:
        return composition.answer(in_flight=in_flight)
    opened, phrases = ExitStack(), PhrasesElsewhere(beside()) if beside else None
    documents = consult(config, Path(tenant.documents), phrases=phrases, library=library)
    answers = opened.enter_context(documents)
    return _Documented(composition.answer(answers=answers, in_flight=in_flight), opened)


class _Documented:
    """Answers whose documents are open for as long as it is."""

    consumes: ClassVar[tuple[type[Message], ...]] = AnswerStage.consumes

    def __init__(self, stage: AnswerStage, opened: ExitStack) -> None:
        self._opened = opened
        self.feed, self.deadline_s = stage.feed, stage.deadline_s

    def close(self) -> None:
        """Close the documents."""
        self._opened.close()
