"""Building a process's stage from the settings, and replacing its models while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.degraded import SimplerPath
from assistant.core.errors import ModelError
from assistant.core.fork import Fork
from assistant.core.memory import collect_and_trim, trim_heap, without_collections
from assistant.core.models.manifest import Library
from assistant.core.models.opened import OpenModels
from assistant.core.models.swap import NICE, StageSwap
from assistant.core.stage import Stage
from assistant.model_files.acceptance import check_answers, check_version, put_in_use, require
from assistant.start_names import NamesOnTrial, StartNames
from audio.asr.waiting import Waiting
from nlu.classifier import canaries
from nlu.classifier.encoder import MODEL as INTENT
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.fitting import OwnSentences, fitted
from nlu.classifier.intent import IntentModel
from nlu.classifier.tagger import MODEL as NER
from nlu.classifier.tagger import Tagger
from nlu.fallback.guesser import Guesser
from nlu.stage import NluStage

SENTENCES = "sentences"
"""What recognition is given after a first start, in the place of a model's name."""


class HotSwap:
    """Builds a stage, and rebuilds it as a whole for another version of one of its models.

    The new stage is made while the old one runs. Where both would use something with one writer,
    such as a database, only `prepare` runs then: it loads the models into a composition, and the
    stage is made when the old one is replaced.
    """

    def __init__(
        self,
        make: Callable[[Composition], Stage],
        prepare: Callable[[Composition], object] | None = None,
        names: NamesOnTrial | None = None,
    ) -> None:
        self._make, self._prepare, self._names = make, prepare, names
        self._config = Config()
        self._opened = OpenModels()
        self.simpler = SimplerPath()

    def stage(self, config: Config) -> Stage:
        """The stage for these settings, with the models that are open already."""
        self._config = config
        trial = self._names.beginning(config) if self._names else nullcontext()
        with trial, without_collections():
            stage = self._make(self.composition(at_once=True))
        collect_and_trim()
        return stage

    def load(self, model: str, version: str) -> StageSwap:
        """Make a stage with that version; raises `ModelError`, or what making it raises."""
        library = Library(self._config.models_dir).choosing(model, version)
        check_version(library, model)
        composition = self.composition(library)
        made = self._made(composition)
        trim_heap()

        def change(_: Stage) -> Stage:
            stage = made()
            put_in_use(library, model)
            return stage

        return change

    def composition(self, library: Library | None = None, at_once: bool = False) -> Composition:
        """The parts for the settings of the last stage, with the models that are open already."""
        return Composition(
            self._config,
            library=library,
            opened=self._opened,
            corrected=True,
            asks_hub=True,
            at_once=at_once,
            simpler=self.simpler,
            names=self._names.chosen if self._names else None,
        )

    def _made(self, composition: Composition) -> Callable[[], Stage]:
        if self._prepare is not None:
            self._prepare(composition)
            return lambda: self._make(composition)
        stage = self._make(composition)
        return lambda: stage


class AsrHotSwap(HotSwap):
    """Builds recognition, which begins with few sentences where the files of all are not made.

    Then `unfinished` asks for a stage with all of them, which is made while the first one hears.
    """

    def __init__(self, names: NamesOnTrial | None = None) -> None:
        self._waiting, self._few = Waiting(), False
        super().__init__(self._recognition, names=names)

    def unfinished(self) -> str:
        """What the last stage is to be given; "" for nothing."""
        return SENTENCES if self._few else ""

    def load(self, model: str, version: str) -> StageSwap:
        """Make a stage with that version, or with "" one with all sentences."""
        if version:
            return super().load(model, version)
        self.composition().recognition.prepare()
        stage = self._recognition(self.composition())
        trim_heap()
        return lambda _: stage

    def _recognition(self, composition: Composition) -> Stage:
        stage = composition.asr(self._waiting)
        self._few = composition.recognition.unfinished
        return stage


class NluHotSwap:
    """Builds the understanding stage; replaces its two models one by one and keeps its state.

    Where none is kept that was fitted to its skills, the first stage has the intent model that
    ships, and a later one that of the stage before, which know no intents of new skills: their
    sentences are matched at once, and `unfinished` asks for a fit in a thread of its own, with
    which what is said otherwise is understood, too.
    """

    def __init__(self, names: NamesOnTrial | None = None) -> None:
        self._names = names
        self._models_dir = self._cache = Path()
        self._own = _Own(OwnSentences)
        self.guesses = False
        """Whether the last stage guesses with models."""
        self._opened = OpenModels()
        self.simpler = SimplerPath()
        self._intents: IntentModel | None = None

    def stage(self, config: Config) -> NluStage:
        """The stage for these settings, with the models that are open already."""
        with self._names.beginning(config) if self._names else nullcontext() as names:
            composition = Composition(
                config,
                opened=self._opened,
                corrected=True,
                meanwhile=self._intents,
                at_once=True,
                simpler=self.simpler,
                names=names,
            )
            stage = composition.nlu(kept=True)
        understanding = composition.understanding
        self._models_dir, self._cache = config.models_dir, config.cache_dir / "nlu"
        self.guesses = understanding.guesses
        self._intents = understanding.intents if self.guesses else None
        self._own = _Own(partial(_drawn, config, names) if self.guesses else OwnSentences)
        del composition, understanding
        collect_and_trim()
        return stage

    def unfinished(self) -> str:
        """The model of the last stage that is to be fitted whole; "" for none."""
        return INTENT if self._intents is not None and self._intents.provisional else ""

    def load(self, model: str, version: str) -> StageSwap:
        """Load that version, or with "" fit the one in use whole.

        Raises `ModelError`, or what loading it raises.
        """
        if not version:
            library = Library(self._models_dir)
            made = self._made(library, model, library.read(model))
            trim_heap()
            return partial(_fitted, made, self)
        library = Library(self._models_dir).choosing(model, version)
        if not self.guesses or model not in (INTENT, NER):
            check_version(library, model)
            return partial(_using, library, model, None)
        return partial(_using, library, model, self.candidate(library, model))

    def candidate(self, library: Library, model: str) -> IntentModel | Tagger:
        """The version of one of the two models that `library` reads; raises as `load` does."""
        if not self.guesses or model not in (INTENT, NER):
            raise ModelError("model.no_trial", f"{model} cannot be tried on a share; use it")
        require(library, model)
        # Files are read although that version may be open: they must be sound at a restart.
        made = self._made(library, model, library.read(model))
        trim_heap()
        return made

    def begin_from(self, model: IntentModel) -> None:
        """Begin the next stage with this intent model."""
        self._intents = model

    def _made(
        self, library: Library, model: str, content: Mapping[str, bytes]
    ) -> IntentModel | Tagger:
        if model == NER:
            return self._opened.get(
                library,
                model,
                partial(Tagger.load, library),
                lambda tagger: check_answers(library, model, canaries.of_slots(tagger)),
            )
        examples = content["examples.npz"]
        encoder = self._opened.get(
            library,
            model,
            partial(SentenceEncoder.load, library),
            lambda made: check_answers(library, model, canaries.of_intent(made, examples)),
        )
        return fitted(encoder, examples, self._own(), self._cache)


def _drawn(config: Config, names: StartNames | None) -> OwnSentences:
    """What an intent model is to be fitted to, drawn in a fork: it takes memory."""

    def draw() -> OwnSentences:
        return Composition(config, corrected=True, names=names).understanding.own_examples

    return Fork(draw, NICE).finish()


class _Own:
    """What an intent model is to be fitted to; drawn when it is first needed."""

    def __init__(self, draw: Callable[[], OwnSentences]) -> None:
        self._draw: Callable[[], OwnSentences] | None = draw
        self._drawn = OwnSentences()

    def __call__(self) -> OwnSentences:
        if (draw := self._draw) is not None:
            self._drawn, self._draw = draw(), None
        return self._drawn


def _fitted(made: IntentModel | Tagger, swap: NluHotSwap, stage: Stage) -> Stage:
    if isinstance(made, IntentModel):
        swap.begin_from(made)
    if isinstance(stage, NluStage) and isinstance(stage.guess, Guesser):
        stage.guess.use(made)
    return stage


def _using(library: Library, model: str, made: IntentModel | Tagger | None, stage: Stage) -> Stage:
    put_in_use(library, model)
    if made is not None and isinstance(stage, NluStage) and isinstance(stage.guess, Guesser):
        stage.guess.use(made)
        stage.judge_anew()
    return stage
