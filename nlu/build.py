"""Builds the parts that understand text, as the settings say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from assistant.core.config import Config
from assistant.core.degraded import Degraded, SimplerPath
from assistant.core.errors import ConfigError, InputError
from assistant.core.layout import NAMES_FILE, UNDERSTANDING_FILE
from assistant.core.messages import Slot
from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library
from assistant.core.models.opened import OpenModels
from assistant.core.quality.baseline import keep_baseline, models_at_work, read_baseline
from assistant.core.speakable import GivenNames, Speakable, read_names
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest, SlotSchema
from nlu.classifier.corrections import Correction, Lesson
from nlu.classifier.encoder import MODEL as INTENT
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import IntentLabel
from nlu.classifier.fitting import OwnSentences, first, fitted, found
from nlu.classifier.intent import IntentModel
from nlu.classifier.tagger import MODEL as NER
from nlu.classifier.tagger import Tagger
from nlu.fallback.guesser import Guesser
from nlu.fallback.slot_candidates import SlotFinder
from nlu.fallback.slot_patterns import slot_patterns
from nlu.grammar.custom_sentences import load_vocabulary, sentence_files
from nlu.grammar.grammar import named_values
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import NO_VOCABULARY, Vocabulary, package_file
from nlu.interpreter import Interpreter
from nlu.lessons import Teacher
from nlu.monitor import UnderstandingMonitor
from nlu.parts.composer import Composer
from nlu.parts.questions import Questions
from nlu.rewriter import loading, rewriting
from nlu.rewriter.judge import RewriterCalibration
from nlu.rewriter.rewriter import Rewriter
from nlu.rewriter.rewriting import Rewriting
from nlu.speakable.speakable import key_of
from nlu.stage import NluStage
from nlu.values.slot_answer import resolve_answer

FITTED_OF_EACH, FITTING_SEED = 12, 1
"""Number of sentences of each of the skills' intents that the intent head is fitted to, and the
seed that draws them. With a number for all, a further skill took some from every other."""
FEW = 0.2
"""Share of the sentences that are drawn for a first start. Of 12 commands in flite's voice 11 are
heard with it and with 0.1, 10 with 0.15, and 8 with 0.05, which takes half the time."""


def speakable_key(
    config: Config,
    manifests: Sequence[SkillManifest],
    home: Home,
    whole: bool,
    names: GivenNames | None = None,
) -> str:
    """A digest of all that decides what may be said, for `SpeakableSource`; it compiles nothing.

    `whole` and `names` are those of `Understanding`.
    """
    folder = config.nlu.custom_sentences
    own = sentence_files(Path(folder).expanduser()) if whole and folder else ()
    files = (package_file(), *own) if whole else ()
    return key_of(manifests, home, files, _given(config, names))


def _given(config: Config, names: GivenNames | None) -> GivenNames:
    """The names of routines and of music."""
    return read_names(config.state_dir / NAMES_FILE) if names is None else names


def answer_reader(
    home: Home, now: Callable[[], datetime]
) -> Callable[[str, SlotSchema], Slot | None]:
    """A function that reads a text as the bare answer to a question for one slot, in this home.

    It gives None for what is no answer; `now` gives the present as an aware datetime.
    """
    return lambda text, schema: resolve_answer(text, schema, named_values(schema, home), now())


class Understanding:
    """The sentences and models that the settings ask for, beside the skills' `sentences`.

    With `whole` false, only the skills' sentences are used: neither Home Assistant's nor models.
    `corrections` are what the user has put right. The fit starts from the model `start`, where
    nearly the same was fitted before. With `meanwhile`, nothing is fitted: that model serves,
    whose intents are those of the skills before, and is to be replaced; so does, `at_once`, the one
    that ships. `names` stand in the place of those that the skills have written.
    """

    def __init__(
        self,
        config: Config,
        manifests: Sequence[SkillManifest],
        sentences: Templates,
        library: Library,
        opened: OpenModels,
        whole: bool = True,
        corrections: Sequence[Correction] = (),
        start: IntentModel | None = None,
        meanwhile: IntentModel | None = None,
        simpler: SimplerPath | None = None,
        at_once: bool = False,
        names: GivenNames | None = None,
    ) -> None:
        self._at_once, self._names = at_once, names
        self._config, self._manifests, self._corrections = config, manifests, corrections
        self._start, self._meanwhile = start, meanwhile
        self._library, self._opened, self._whole = library, opened, whole
        self.sentences = sentences
        self.faults = Degraded("nlu", simpler)

    def stage(self, now: Callable[[], datetime], kept: bool = False) -> NluStage:
        """The stage; `now` gives the present as an aware datetime in the user's zone.

        If `kept`, it observes how well the models understand, and keeps how that was at first.
        """
        here, guess = self._config.home.area, self._guess(self.templates)
        observed = kept and guess is not None
        # Not of this object, which is large, and which the stage outlives.
        monitor = partial(_monitor, self._config, self.faults) if observed else None

        def interpreter(area: str) -> Interpreter:
            return self._interpreter(self.templates.in_area(area), guess)

        stage = NluStage(
            *(self.templates, interpreter(here), now, self.faults, here, interpreter),
            monitor=monitor,
        )
        stage.rewriting = self._rewriting()
        if kept:
            stage.prepare()
            if stage.rewriting is not None:
                stage.rewriting.prepare()
        return stage

    def _rewriting(self) -> Rewriting | None:
        """What rewrites in plain words; None where its models are not here, or not wished for."""
        if not (self.guesses and self._config.nlu.rewriter):
            return None
        return self.faults.load_or_none(rewriting.PART, self._rewriting_by_models)

    def _rewriting_by_models(self) -> Rewriting | None:
        templates, library = self.templates, self._library
        if not loading.is_here(library):
            return None
        table = read_calibration(library, loading.ADAPTER, RewriterCalibration)
        cache = self._config.cache_dir / loading.ADAPTER

        def load() -> Rewriter:
            model = self._opened.get(library, loading.BASE, lambda: loading.load(library, cache))
            return Rewriter(*model, templates.home)

        return Rewriting(load, table, templates.home, templates.traits, self.faults)

    @cached_property
    def templates(self) -> Templates:
        """All sentences that are understood: the skills', Home Assistant's, the user's own."""
        if not self._whole:
            return self.sentences
        return self.sentences.with_vocabulary(self._manifests, self.vocabulary)

    def templates_of(self, home: Home) -> Templates:
        """The same with the names of another home."""
        vocabulary = self.vocabulary if self._whole else NO_VOCABULARY
        return Templates.compile(self._manifests, home, vocabulary)

    def speakable(self, share: float = 1.0) -> Speakable:
        """What people may say here, or a share of it."""
        return self.templates.speakable(_given(self._config, self._names), share)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Home Assistant's sentences, and the user's own; raises `ConfigError` for a wrong one."""
        folder = self._config.nlu.custom_sentences
        try:
            return load_vocabulary(Path(folder).expanduser() if folder else None)
        except InputError as error:
            raise ConfigError(error.code, f"nlu.custom_sentences: {error.message}") from error

    def interpreter(self, templates: Templates) -> Interpreter:
        """An interpreter in the home and room of `templates`, with models where there are any."""
        return self._interpreter(templates, self._guess(templates))

    def _interpreter(self, templates: Templates, guess: Guesser | None) -> Interpreter:
        there = (templates.home, templates.area)
        compose = Composer(*there) if self._whole else None
        questions = Questions(*there) if self._whole else None
        return Interpreter(templates, guess, compose, questions)

    def _guess(self, templates: Templates) -> Guesser | None:
        """What guesses, in any room, as its models may be replaced; None where nothing does."""
        if not self.guesses:
            return None
        finder, patterns = SlotFinder(templates.lists), slot_patterns(templates.claims)
        return Guesser(self.intents, self.tagger, finder, patterns, self.faults)

    @property
    def guesses(self) -> bool:
        """Whether models are to guess what a text means that fits no sentence."""
        return self._whole and self._config.nlu.models

    @cached_property
    def tagger(self) -> Tagger | None:
        """The tagger that finds names; None where its model is damaged."""
        load = partial(Tagger.load, self._library)
        return self.faults.load_or_none(NER, lambda: self._opened.get(self._library, NER, load))

    @cached_property
    def intents(self) -> IntentModel | None:
        """The intent model, fitted to the installed skills; None where it is damaged."""
        return self.faults.load_or_none(INTENT, self._fitted)

    @cached_property
    def own_examples(self) -> OwnSentences:
        """What the intent model is fitted to, or keeps, for the installed skills and the user."""
        commands, talk = (
            [
                (IntentLabel(one.intent, one.fixed), one.text)
                for one in self.sentences.labelled(FITTED_OF_EACH, FITTING_SEED, talk=talk)
            ]
            for talk in (False, True)
        )
        lessons = self._lessons() if self._corrections else ()
        return OwnSentences(commands, talk, lessons, self._own_key)

    @property
    def _own_key(self) -> str:
        """The key of the own examples; "" where the user has put anything right."""
        if self._corrections:
            return ""
        drawn = f"{FITTED_OF_EACH} {FITTING_SEED}"
        return f"{key_of(self._manifests, self.sentences.home, ())} {drawn}"

    def _lessons(self) -> list[Lesson]:
        teacher = Teacher(self.templates.in_area(self._config.home.area))
        return list(map(teacher.lesson, self._corrections))

    def _fitted(self) -> IntentModel:
        load = partial(SentenceEncoder.load, self._library)
        encoder = self._opened.get(self._library, INTENT, load)
        shipped = self._library.read_file(encoder.name, "examples.npz")
        folder = self._config.cache_dir / "nlu"
        if (known := found(encoder, shipped, folder, self._own_key)) is not None:
            return known
        if self._meanwhile is not None and self._meanwhile.version == encoder.version:
            return self._meanwhile.provisionally()
        beside = self._library.folder(encoder.name)
        if self._at_once and (model := first(encoder, shipped, beside)) is not None:
            return model
        before = self._start
        same = before is not None and before.version == encoder.version
        start = before.head if before is not None and same else None
        return fitted(encoder, shipped, self.own_examples, folder, start)


def _monitor(config: Config, faults: Degraded) -> UnderstandingMonitor:
    """The monitor of the models in use, with a file of how well they understood at first."""
    file = config.state_dir / UNDERSTANDING_FILE
    models = models_at_work(Library(config.models_dir), (INTENT, NER))
    keep = partial(keep_baseline, file, models)
    return UnderstandingMonitor(read_baseline(file, models), keep, faults)
