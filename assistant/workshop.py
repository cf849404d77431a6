"""Making a process's stage from the settings, and renewing its models while it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from assistant.candidates import check, check_answers, put_in_use, require
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.manifest import Library
from assistant.core.memory import available_bytes, give_back_freed, give_back_unused
from assistant.core.replacement import Change
from assistant.core.stage import Stage
from nlu import canaries
from nlu.encoder import MODEL as INTENT
from nlu.encoder import Encoder
from nlu.examples import Label
from nlu.fitting import fitted
from nlu.guess import Guesser
from nlu.intent import IntentModel
from nlu.stage import NluStage
from nlu.tagger import MODEL as NER
from nlu.tagger import Tagger

SPARE_BYTES = 500_000_000
"""Memory that must be available for a model that is out of use to be kept for a rollback."""


class Workshop:
    """A stage that is made as a whole, also for another version of one of its models.

    That is done beside the stage that runs. Where both use what has one writer, such as a database,
    only `prepare` is: it loads the models into a composition, and the stage is made in its turn.
    """

    def __init__(
        self,
        make: Callable[[Composition], Stage],
        prepare: Callable[[Composition], object] | None = None,
    ) -> None:
        self._make, self._prepare = make, prepare
        self._config = Config()

    def stage(self, config: Config) -> Stage:
        """The stage for these settings."""
        self._config = config
        stage = self._make(Composition(config))
        give_back_unused()
        return stage

    def load(self, model: str, version: str) -> Change:
        """Make a stage with that version; raises, or `ModelError`."""
        library = Library(self._config.models_dir).choosing(model, version)
        check(library, model)
        composition = Composition(self._config, library=library)
        made = self._made(composition)
        give_back_freed()

        def change(_: Stage) -> Stage:
            stage = made()
            put_in_use(library, model)
            return stage

        return change

    def _made(self, composition: Composition) -> Callable[[], Stage]:
        if self._prepare is not None:
            self._prepare(composition)
            return lambda: self._make(composition)
        stage = self._make(composition)
        return lambda: stage


class NluWorkshop:
    """Understanding: its two models are replaced one by one, and what it has in mind stays.

    The version that was used before stays in memory where there is enough of it.
    """

    def __init__(self) -> None:
        self._models_dir = self._cache = Path()
        self._own: list[tuple[Label, str]] = []
        self._kept: dict[str, dict[str, IntentModel | Tagger]] = {}

    def stage(self, config: Config) -> NluStage:
        """The stage for these settings."""
        composition = Composition(config)
        stage, library = composition.nlu(), composition.library
        self._models_dir, self._cache = config.models_dir, config.cache_dir / "nlu"
        self._own, self._kept = [], {}
        if composition.guesses:
            self._own = composition.own_examples
            for name, model in ((INTENT, composition.intents), (NER, composition.tagger)):
                self._kept[name] = {_identity(library, name): model} if model is not None else {}
        del composition
        give_back_unused()
        return stage

    def load(self, model: str, version: str) -> Change:
        """Load that version; raises, or `ModelError`."""
        library = Library(self._models_dir).choosing(model, version)
        kept = self._kept.get(model)
        if kept is None:  # a stage without models, or that runs no such model
            check(library, model)
            return partial(_using, library, model, None)
        identity = _identity(library, model)
        made = kept.get(identity) or self._opened(library, model)
        others = [(i, m) for i, m in kept.items() if i != identity]
        last = others[-1:] if available_bytes() > SPARE_BYTES else []
        self._kept[model] = dict([*last, (identity, made)])
        give_back_freed()
        return partial(_using, library, model, made)

    def _opened(self, library: Library, model: str) -> IntentModel | Tagger:
        if model == NER:
            tagger = Tagger.load(library)
            check_answers(library, model, canaries.of_slots(tagger))
            return tagger
        encoder, examples = Encoder.load(library), library.read(model)["examples.npz"]
        check_answers(library, model, canaries.of_intent(encoder, examples))
        return fitted(encoder, examples, self._own, self._cache)


def _identity(library: Library, model: str) -> str:
    """The hashes of a version's files; raises `ModelError` when they are not as recorded."""
    require(library, model)
    library.read(model)
    return " ".join(library.expected(model).values())


def _using(library: Library, model: str, made: IntentModel | Tagger | None, stage: Stage) -> Stage:
    put_in_use(library, model)
    if made is not None and isinstance(stage, NluStage) and isinstance(stage.guess, Guesser):
        stage.guess.use(made)
    return stage
