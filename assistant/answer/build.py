"""The parts of answering, built from the settings."""

from __future__ import annotations

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
from assistant.answer.generation.phrases import Phrases
from assistant.answer.generation.token_scheduler import TokenScheduler
from assistant.answer.hub import HubAnswers
from assistant.answer.in_flight import InFlight
from assistant.answer.ingest.collection import Collection
from assistant.answer.ingest.encoding import PassageEncoding
from assistant.answer.ingest.formats.suffixes import SUFFIXES
from assistant.answer.ingest.parser_client import ParserClient
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.trial_vectors import MOST
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.answer.quality.monitor import AnswerMonitor
from assistant.answer.retrieval.encoder import MODEL as READER
from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.answer.retrieval.lexical import FallbackFinder, LexicalSearcher
from assistant.answer.retrieval.reader import Reader
from assistant.answer.retrieval.retriever import Retriever
from assistant.answer.retrieval.search import Searcher
from assistant.answer.rival import OtherReader, Rival
from assistant.answer.stage import AnswerStage
from assistant.answer.summary.summariser import Summariser
from assistant.core.clock import boottime_s, time_zone
from assistant.core.config import Config
from assistant.core.degraded import Degraded, SimplerPath
from assistant.core.errors import ModelError
from assistant.core.layout import BASELINE_FILE, VECTORS_FILE
from assistant.core.models.manifest import Library
from assistant.core.models.opened import OpenModels
from assistant.core.network.hub import Hub
from assistant.core.quality.baseline import keep_baseline, models_at_work, read_baseline

ANSWER_BUDGET_S = 1.0
"""Seconds from the question to the answer's text."""
WORDS_BUDGET = GenerationBudget(tokens=60, seconds=10.0)
"""What one reply may use of the generator it shares; `InFlight` handles replies with a deadline."""


class Answering:
    """The documents and models that the settings name; slow parts are built when first needed.

    With `phrases` those word what is found, in place of a generator of its own.
    """

    def __init__(
        self,
        config: Config,
        library: Library,
        opened: OpenModels,
        now: Callable[[], datetime],
        simpler: SimplerPath | None = None,
        phrases: Phrases | None = None,
    ) -> None:
        self._config, self._library, self._opened, self._now = config, library, opened, now
        self._phrases = phrases
        self.faults = Degraded("answer", simpler)

    def stage(
        self,
        knowledge: Knowledge | None = None,
        answers: DocumentAnswers | None = None,
        in_flight: InFlight | None = None,
    ) -> AnswerStage:
        """The stage for what no skill claims; with `knowledge` it keeps the user's documents."""
        in_flight = in_flight or InFlight()
        if knowledge is None:
            return AnswerStage(answers, in_flight=in_flight, hub=self.hub)
        vectors = self.vectors(knowledge)
        answers = self.answers(knowledge, vectors)
        collection = self.collection(knowledge, vectors, in_flight)
        return AnswerStage(answers, collection, in_flight, self.faults, self.hub)

    @property
    def hub(self) -> HubAnswers:
        """What the hub of the settings says where the documents here say nothing."""
        settings = self._config.hub
        is_asked = settings.url and settings.answers
        return HubAnswers(Hub(settings, self._config.network_socket) if is_asked else None)

    def knowledge(self, path: Path | None, shared: bool = False) -> Knowledge:
        """What the user's documents say; empty, in memory for None. Raises `StorageError`.

        With `shared` they are only read, while another process may add to them.
        """
        return Knowledge(path, time_zone(self._config.home.time_zone), shared)

    def reading_stage(self, file: Path) -> AnswerStage:
        """A stage that answers from the documents in `file`, which another process keeps."""
        knowledge = self.knowledge(file, shared=True)
        answers = self.answers(knowledge, self.vectors(knowledge))
        in_flight = InFlight(TokenScheduler(clock=boottime_s))
        return AnswerStage(answers, in_flight=in_flight, faults=self.faults, hub=self.hub)

    def vectors(self, knowledge: Knowledge) -> VectorIndex | None:
        """The index of the passages' vectors, in a file beside theirs."""
        if self.encoder is None:
            return None
        file = knowledge.path.with_name(VECTORS_FILE) if knowledge.path is not None else None
        return VectorIndex(knowledge.vectors, self.encoder.version, file)

    def collection(
        self,
        knowledge: Knowledge,
        vectors: VectorIndex | None = None,
        in_flight: InFlight | None = None,
    ) -> Collection:
        """The user's documents, as they are on the disk; `in_flight` holds requests about them."""
        folders = [Path(f).expanduser().resolve() for f in self._config.documents.folders]
        if knowledge.path is not None:  # what is only tried out reads nothing of the user's own
            folders.append(self._config.calendar_file)
        index = vectors if vectors is not None else self.vectors(knowledge)
        requests = in_flight.requests if in_flight is not None else None
        return Collection(
            *(
                knowledge,
                self._encoding(knowledge, index),
                ParserClient(zone=self._config.home.time_zone),
                SUFFIXES,
                folders,
            ),
            *(self._summariser(knowledge), requests),
        )

    def answers(self, knowledge: Knowledge, vectors: VectorIndex | None) -> DocumentAnswers:
        """Answers from the documents in `knowledge`; models are loaded at the first question.

        Without a sound reading model, answers are found by words alone.
        """
        finder = self._finder(knowledge, vectors)
        answerer = Answerer(finder, self.phrases, lambda: knowledge.generation)
        if self._config.calendar.url:
            knowledge.awaited = self._config.calendar_file
        calendar = Calendar(knowledge, self._now)
        monitor = None if knowledge.shared else self._monitor(kept=bool(knowledge.path))
        summariser = self._summariser(knowledge)
        return DocumentAnswers(answerer, summariser, self.phrases, calendar, monitor)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that answers depend on."""
        return READER, self._config.answer.generator

    def open(self, model: str) -> None:
        """Load one of these models now; raises `ModelError`."""
        if model == READER and self.encoder is not None:
            self.encoder.encode([""])
        elif model != READER:
            self.phraser.open()

    def rival(self, model: str, knowledge: Knowledge, answers: DocumentAnswers) -> Rival:
        """What answers as `answers` do, but with the `model` of this library."""
        if model != READER:
            return Rival(answers.beside(phraser=self.phraser), self.faults)
        if self.encoder is None:
            raise ModelError("model.no_trial", f"{READER} cannot be opened")
        if knowledge.vectors.passages_after(0) > MOST:
            raise ModelError("model.no_trial", f"the documents have over {MOST} passages; use it")
        reader = OtherReader(knowledge, self.encoder)
        return Rival(answers.beside(finder=reader.finder), self.faults, reader)

    @property
    def phrases(self) -> Phrases:
        """What words that which was found."""
        return self._phrases or self.phraser

    @cached_property
    def phraser(self) -> Phraser:
        """The phraser with the generator that the settings name."""
        name = self._config.answer.generator
        # Of the library alone: a circle with this object would outlive a replaced stage.
        load = self.faults.with_note(
            GENERATOR, partial(_open_generator, self._opened, self._library, name)
        )
        return Phraser(load, WORDS_BUDGET, self.faults)

    @cached_property
    def encoder(self) -> PassageEncoder | None:
        """The encoder of passages and questions; None where its model cannot be trusted."""
        try:
            load = partial(PassageEncoder.load, self._library)
            return self._opened.get(self._library, READER, load)
        except ModelError as error:
            self.faults.note(READER, error)
            return None

    def _encoding(self, knowledge: Knowledge, index: VectorIndex | None) -> PassageEncoding | None:
        if self.encoder is None or index is None:
            return None
        forgotten = knowledge.sources.forgotten
        return PassageEncoding(knowledge.vectors, index, self.encoder, forgotten)

    def _finder(self, knowledge: Knowledge, vectors: VectorIndex | None) -> FindsAnswers:
        words, encoder = LexicalSearcher(knowledge.passages), self.encoder
        if encoder is None or vectors is None:
            return words
        reads = Searcher(
            Retriever(knowledge, vectors, encoder), Reader(encoder), knowledge.passages.people_named
        )
        return FallbackFinder(reads, words, self.faults)

    def _summariser(self, knowledge: Knowledge) -> Summariser:
        return Summariser(knowledge.sources, self.encoder, self.phrases, self.faults)

    def _monitor(self, kept: bool) -> AnswerMonitor:
        """The monitor of the answers; if `kept`, with a file of how these models' answers were."""
        if not kept:
            return AnswerMonitor(ANSWER_BUDGET_S, faults=self.faults)
        file = self._config.state_dir / BASELINE_FILE
        models = models_at_work(self._library, self.models)
        learned, keep = read_baseline(file, models), partial(keep_baseline, file, models)
        return AnswerMonitor(ANSWER_BUDGET_S, learned, keep, faults=self.faults)


def _open_generator(opened: OpenModels, library: Library, name: str) -> Generator:
    require_generator(library, name)  # another part may have this model open
    return opened.get(library, name, partial(Generator.load, library, name))
