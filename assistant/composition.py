"""Which parts make up each stage, from the settings: the one place that knows them all.

Every process of the daemon composes its own stage; `hear`, `say` and the evaluations compose
several side by side. What takes long or opens a device is made only when asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from assistant.answer.answerer import Answerer, FindsAnswers
from assistant.answer.answers import DocumentAnswers
from assistant.answer.calendar.calendar import Calendar
from assistant.answer.generation.generator import MODEL as GENERATOR
from assistant.answer.generation.generator import GenerationBudget, Generator, require_generator
from assistant.answer.generation.phraser import Phraser
from assistant.answer.in_flight import InFlight
from assistant.answer.ingest.collection import Collection
from assistant.answer.ingest.formats.suffixes import SUFFIXES
from assistant.answer.ingest.parser_client import ParserClient
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.answer.quality.baseline import keep_baseline, read_baseline
from assistant.answer.quality.monitor import Monitor
from assistant.answer.retrieval.encoder import MODEL as READER
from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.answer.retrieval.lexical import LexicalSearcher, ReadsOrNot
from assistant.answer.retrieval.reader import Reader
from assistant.answer.retrieval.retriever import Retriever
from assistant.answer.retrieval.search import Searcher
from assistant.answer.stage import AnswerStage
from assistant.answer.summary.summariser import Summariser
from assistant.core.clock import time_zone
from assistant.core.config import Config
from assistant.core.database import Database
from assistant.core.degraded import Degraded
from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import ConfigError, InputError, ModelError, SkillError
from assistant.core.layout import BASELINE_FILE, VECTORS_FILE
from assistant.core.models.manifest import Library, ModelState
from assistant.core.models.opened import OpenModels
from assistant.skill.home import Home, load_home
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognizer
from audio.asr.stage import AsrStage
from audio.asr.whisper import WhisperRecognizer
from audio.listener import Listener
from audio.stage import make_listener
from audio.tts.select import select as select_voice
from audio.tts.stage import VoiceStage
from nlu.classifier.encoder import MODEL, SentenceEncoder
from nlu.classifier.examples import IntentLabel
from nlu.classifier.fitting import fitted
from nlu.classifier.intent import IntentModel
from nlu.classifier.tagger import MODEL as NER
from nlu.classifier.tagger import Tagger
from nlu.explanation import Explanation, explain
from nlu.fallback.guesser import Guesser
from nlu.fallback.slot_candidates import SlotFinder
from nlu.fallback.slot_patterns import shapes
from nlu.grammar.custom_sentences import load_vocabulary
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import NO_VOCABULARY, Vocabulary
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from nlu.text.canonical import canonical
from skills.registry import Registry, load_registry
from skills.scheduler import this_boot
from skills.stage import SkillsStage

log = logging.getLogger(__name__)

ANSWER_BUDGET_S = 1.0
"""From the question to the answer's text."""
WORDS_BUDGET = GenerationBudget(tokens=60, seconds=10.0)
"""What a reply may take of the generator, which it shares; who is in haste has an `InFlight`."""
SAMPLED_SENTENCES = 5_000
SAMPLING_SEED = 1
FITTED_SENTENCES = 600
"""Sentences of the skills that the intent head is fitted to, all intents in like share."""


class Composition:
    """The stages that `config` describes, over one home and one set of skills.

    `builtin` false leaves only the skills of the configured folders; a `library` has other models
    in use than those that are. Models that are `opened` already are not opened again.
    """

    def __init__(
        self,
        config: Config,
        *,
        builtin: bool = True,
        library: Library | None = None,
        opened: OpenModels | None = None,
    ) -> None:
        self._config, self._builtin = config, builtin
        self.library = library or Library(config.models_dir)
        self._opened = opened or OpenModels()

    @cached_property
    def now(self) -> Callable[[], datetime]:
        """Tells the aware wall time in the user's zone."""
        zone = time_zone(self._config.home.time_zone)
        return lambda: datetime.now(zone)

    @cached_property
    def home(self) -> Home:
        """The areas and devices that people may name."""
        file = self._config.home.file
        return load_home(Path(file).expanduser()) if file else Home()

    @cached_property
    def registry(self) -> Registry:
        """The skills that run; one whose sentences cannot be compiled is left out, by name."""
        return self._skills_and_sentences[0]

    @cached_property
    def sentences(self) -> Templates:
        """The skills' own sentences, with the home's names in them: what is listened for."""
        return self._skills_and_sentences[1]

    @cached_property
    def _skills_and_sentences(self) -> tuple[Registry, Templates]:
        settings = self._config.skills
        folders = [Path(folder).expanduser() for folder in settings.folders]
        registry = load_registry(folders, self._builtin, settings.disabled)
        sentences = None
        while sentences is None:
            try:
                sentences = Templates.compile(registry.manifests, self.home)
            except SkillError as error:
                registry.refuse(error.part, error.message)
        for fault in registry.faults:
            log.warning("%s does not run: %s (skill.refused)", fault.skill, fault.message)
        return registry, sentences

    @cached_property
    def templates(self) -> Templates:
        """All sentences that are understood: the skills', Home Assistant's, the user's own."""
        return self.templates_of(self.home)

    def templates_of(self, home: Home) -> Templates:
        """The same with the names of another home."""
        vocabulary = self.vocabulary if self._builtin else NO_VOCABULARY
        return Templates.compile(self.registry.manifests, home, vocabulary)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Home Assistant's sentences, and the user's own; raises `ConfigError` for a wrong one."""
        folder = self._config.nlu.custom_sentences
        try:
            return load_vocabulary(Path(folder).expanduser() if folder else None)
        except InputError as error:
            raise ConfigError(error.code, f"nlu.custom_sentences: {error.message}") from error

    def listener(self, wake: bool = True) -> Listener:
        """The ears of `hear`, which has no devices: those of the daemon belong to its process."""
        return make_listener(self._config, wake)

    def asr(self) -> AsrStage:
        """Speech recognition: whisper where its model is, else the skills' own sentences."""
        return AsrStage(self._recognizer(), self.asr_faults)

    def _recognizer(self) -> Recognizer:
        settings = self._config.asr
        if settings.engine != "pocketsphinx":
            self._require_model("asr.model", settings.model)
            whisper = self.asr_faults.without("whisper", self._whisper)
            if whisper is not None:
                return whisper
        sentences = self.sentences.sample(SAMPLED_SENTENCES, SAMPLING_SEED)
        prefixes = [keyword.replace("_", " ") for keyword in self._config.wake.keywords]
        return PocketSphinxRecognizer(sentences, prefixes, cache_dir=self._config.cache_dir / "asr")

    def _whisper(self) -> Recognizer | None:
        """What hears free speech; None where its model was never wanted."""
        settings = self._config.asr
        if settings.engine == "auto" and self.library.state(settings.model) is ModelState.ABSENT:
            return None
        self.library.read(settings.model)  # what is corrupt is never loaded
        return WhisperRecognizer(self.library.folder(settings.model), threads=settings.threads)

    @cached_property
    def asr_faults(self) -> Degraded:
        """What speech recognition goes without."""
        return Degraded("asr")

    def _require_model(self, setting: str, name: str) -> None:
        known = self.library.artefacts
        if name not in known:
            message = f'{setting}: there is no model "{name}"; {did_you_mean(name, known)}'
            raise ConfigError("config.model", message)

    def nlu(self) -> NluStage:
        """Understanding."""
        interpreter = self.interpreter(self.templates)
        return NluStage(self.templates, interpreter, self.now, self.nlu_faults)

    def explain(self, text: str) -> Explanation:
        """What each part of understanding believes of a text said by itself."""
        interpreter, now = self.interpreter(self.templates), self.now()
        understood = interpreter(canonical(text), now)
        return explain(text, understood, self.templates, interpreter, now)

    def interpreter(self, templates: Templates) -> Interpreter:
        """Understanding with the sentences of `templates`, and the models where they are here."""
        if not self.guesses:
            return Interpreter(templates)
        finder, forms = SlotFinder(templates.lists), shapes(templates.claims)
        guesser = Guesser(self.intents, self.tagger, finder, forms, self.nlu_faults)
        return Interpreter(templates, guesser)

    @property
    def guesses(self) -> bool:
        """Whether models are to guess at what no sentence fits."""
        return self._builtin and self._config.nlu.models

    @cached_property
    def nlu_faults(self) -> Degraded:
        """What understanding goes without."""
        return Degraded("nlu")

    @cached_property
    def tagger(self) -> Tagger | None:
        """What names are found with; None where its model is not sound."""
        load = partial(Tagger.load, self.library)
        return self.nlu_faults.without(NER, lambda: self._opened.get(self.library, NER, load))

    @cached_property
    def intents(self) -> IntentModel | None:
        """The intent model, fitted to the installed skills; None where it is not sound."""
        return self.nlu_faults.without(MODEL, self._fitted)

    def _fitted(self) -> IntentModel:
        load = partial(SentenceEncoder.load, self.library)
        encoder = self._opened.get(self.library, MODEL, load)
        shipped = self.library.read(encoder.name)["examples.npz"]
        return fitted(encoder, shipped, self.own_examples, self._config.cache_dir / "nlu")

    @cached_property
    def own_examples(self) -> list[tuple[IntentLabel, str]]:
        """Sentences of the installed skills that the intent model is fitted to."""
        drawn = self.sentences.labelled(FITTED_SENTENCES, SAMPLING_SEED)
        return [(IntentLabel(one.intent, one.fixed), one.text) for one in drawn]

    def skills(self, database: Database) -> SkillsStage:
        """The skills, on their database (`skills.state.open_state`)."""
        templates = self.templates
        return SkillsStage(
            self.registry,
            database,
            self.home,
            lambda text, schema: templates.resolve(text, schema, self.now()),
            self.now,
            this_boot(),
            area=self._config.home.area,
            broker=bool(self._config.mqtt.host),
        )

    def answer(
        self,
        knowledge: Knowledge | None = None,
        answers: DocumentAnswers | None = None,
        desk: InFlight | None = None,
    ) -> AnswerStage:
        """What no skill claims; with `knowledge` the user's documents are kept in it."""
        abilities, desk = self.registry.abilities, desk or InFlight()
        if knowledge is None:
            return AnswerStage(abilities, answers, desk=desk)
        vectors = self.vectors(knowledge)
        answers = self.answers(knowledge, vectors)
        collection = self.collection(knowledge, vectors, desk)
        return AnswerStage(abilities, answers, collection, desk, self.faults)

    @cached_property
    def faults(self) -> Degraded:
        """What the answering goes without."""
        return Degraded("answer")

    def answers(self, knowledge: Knowledge, vectors: VectorIndex | None) -> DocumentAnswers:
        """Answers from the documents in `knowledge`; models are loaded at the first question.

        Without a sound model that reads, words alone find them.
        """
        finder = self._finder(knowledge, vectors)
        answerer = Answerer(finder, self.phraser, lambda: knowledge.generation)
        summariser = Summariser(knowledge, self.document_encoder, self.phraser, self.faults)
        calendar, monitor = Calendar(knowledge, self.now), self._monitor(kept=bool(knowledge.path))
        return DocumentAnswers(answerer, summariser, self.phraser, calendar, monitor)

    def _monitor(self, kept: bool) -> Monitor:
        """Watches over the answers; `kept` with what these models' answers were like before."""
        if not kept:
            return Monitor(ANSWER_BUDGET_S)
        file, models = self._config.state_dir / BASELINE_FILE, self.answering_models
        learned, keep = read_baseline(file, models), partial(keep_baseline, file, models)
        return Monitor(ANSWER_BUDGET_S, learned, keep)

    @property
    def answering_models(self) -> str:
        """The models that answers depend on, with their versions."""
        used = (READER, self._config.answer.generator)
        try:
            names = [name for name in used if name in self.library.artefacts]
        except ModelError:  # which the first use of either tells of
            return ""
        return ", ".join(f"{name} {self.library.version(name)}" for name in names)

    def _finder(self, knowledge: Knowledge, vectors: VectorIndex | None) -> FindsAnswers:
        words, encoder = LexicalSearcher(knowledge), self.document_encoder
        if encoder is None or vectors is None:
            return words
        reads = Searcher(Retriever(knowledge, vectors, encoder), Reader(encoder), knowledge.named)
        return ReadsOrNot(reads, words, self.faults)

    @cached_property
    def phraser(self) -> Phraser:
        """The words of the settings' generator."""
        name = self._config.answer.generator
        # Of the library alone: a circle with this composition would outlive a replaced stage.
        load = self.faults.noting(
            GENERATOR, partial(_open_generator, self._opened, self.library, name)
        )
        return Phraser(load, WORDS_BUDGET)

    @cached_property
    def document_encoder(self) -> PassageEncoder | None:
        """What passages and questions are compared by; None where nothing vouches for its model."""
        try:
            load = partial(PassageEncoder.load, self.library)
            return self._opened.get(self.library, READER, load)
        except ModelError as error:
            self.faults.note(READER, error)
            return None

    def vectors(self, knowledge: Knowledge) -> VectorIndex | None:
        """The index of the passages' vectors, in a file beside theirs."""
        if self.document_encoder is None:
            return None
        file = knowledge.path.with_name(VECTORS_FILE) if knowledge.path is not None else None
        return VectorIndex(knowledge, self.document_encoder.version, file)

    def knowledge(self, path: Path | None) -> Knowledge:
        """What the user's documents say, or of none with None; raises `StorageError`."""
        return Knowledge(path, time_zone(self._config.home.time_zone))

    def collection(
        self,
        knowledge: Knowledge,
        vectors: VectorIndex | None = None,
        desk: InFlight | None = None,
    ) -> Collection:
        """The user's documents, as they are on the disk; `desk` has what is asked of them."""
        folders = [Path(f).expanduser().resolve() for f in self._config.documents.folders]
        encoder = self.document_encoder
        index = vectors if vectors is not None else self.vectors(knowledge)
        summariser = Summariser(knowledge, encoder, self.phraser, self.faults)
        requests = desk.requests if desk is not None else None
        return Collection(
            knowledge, index, encoder, ParserClient(), SUFFIXES, folders, summariser, requests
        )

    def voice(self) -> VoiceStage:
        """The voice; raises `SpeakingError` when there is none."""
        faults = Degraded("voice")
        return VoiceStage(select_voice(self._config.voice, self.library, faults), faults)


def _open_generator(opened: OpenModels, library: Library, name: str) -> Generator:
    require_generator(library, name)  # another part may have that very model open
    return opened.get(library, name, partial(Generator.load, library, name))
