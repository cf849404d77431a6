"""Answers from the user's documents for one command, in this process and not in the daemon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from assistant.answer.answers import DocumentAnswers
from assistant.answer.build import Answering
from assistant.answer.generation.phrases import Phrases
from assistant.answer.ingest.collection import Collection
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.degraded import Degraded
from assistant.core.errors import InputError, StorageError
from assistant.core.layout import KNOWLEDGE_FILE
from assistant.core.messages import DocumentsDone, DocumentsProgress, DocumentsRequest
from assistant.core.models.manifest import Library
from assistant.core.settings.documents import DocumentsSettings

LONGEST_PAUSE_S = 0.05

Progress = Callable[[int, int], None]


@contextmanager
def consult(
    config: Config,
    documents: Path,
    progress: Progress = lambda done, total: None,
    now: Callable[[], datetime] | None = None,
    phrases: Phrases | None = None,
    library: Library | None = None,
) -> Iterator[DocumentAnswers]:
    """Give, while open, answers from the file or folder `documents` alone, read into memory.

    `progress` receives the number of its passages. `now` gives another aware time than the clock's.
    With `phrases` those word what is found, in place of a generator of its own. A `library` has
    other models in use than those that are.

    Raises `InputError` where there is nothing to answer from.
    """
    answering = _of_these_alone(config, now, phrases, library)
    with _read(answering, documents, None, progress) as knowledge:
        yield answering.answers(knowledge, answering.vectors(knowledge))


@contextmanager
def index(
    config: Config, documents: Path | None, progress: Progress = lambda done, total: None
) -> Iterator[Path]:
    """Give, while open, a file of knowledge that no other process changes, for others to read.

    It is the index or, read into a file for now, the file or folder `documents` alone. Raises
    `InputError` where there is nothing to answer from, also while the daemon has the index open.
    """
    if documents is None:
        with closing(_indexed(config)) as knowledge:
            if not knowledge.sources.all():
                raise _nothing(None)
            encoder = Composition(config).answering.encoder
            if encoder is not None:  # vectors of another one are dropped by who may write
                knowledge.vectors.waiting(encoder.version)
            yield config.state_dir / KNOWLEDGE_FILE
        return
    with TemporaryDirectory(prefix="hark-documents-") as folder:
        file = Path(folder) / KNOWLEDGE_FILE
        with _read(_of_these_alone(config), documents, file, progress):
            yield file


def _of_these_alone(
    config: Config,
    now: Callable[[], datetime] | None = None,
    phrases: Phrases | None = None,
    library: Library | None = None,
) -> Answering:
    """Answers from documents that are named, in place of those of the settings."""
    config = msgspec.structs.replace(config, documents=DocumentsSettings())
    return Composition(config, now=now, phrases=phrases, library=library).answering


@contextmanager
def _read(
    answering: Answering, documents: Path, file: Path | None, progress: Progress
) -> Iterator[Knowledge]:
    """What `documents` say, read into `file`, or into memory for None."""
    with closing(answering.knowledge(file)) as knowledge:
        vectors = answering.vectors(knowledge)
        with closing(answering.collection(knowledge, vectors)) as collection:
            read_in(collection, documents, answering.faults, progress)
        if not knowledge.sources.all():
            raise _nothing(documents)
        yield knowledge


def _indexed(config: Config) -> Knowledge:
    file = config.state_dir / KNOWLEDGE_FILE
    if not file.exists():
        raise _nothing(None)
    try:
        return Composition(config).answering.knowledge(file)
    except StorageError as error:
        if error.code != "storage.in_use":
            raise
        message = (
            f"the running assistant has {file}; stop it meanwhile (sudo systemctl stop assistant), "
            "or name the documents with --documents PATH"
        )
        raise InputError("batch.daemon", message) from error


def _nothing(documents: Path | None) -> InputError:
    if documents is not None:
        return InputError("documents.none", f"{documents}: holds no document that can be read")
    message = "there are no documents; run assistant documents add PATH, or give --documents PATH"
    return InputError("documents.none", message)


def read_in(collection: Collection, documents: Path, faults: Degraded, progress: Progress) -> None:
    """Read all of `documents` into the collection; raises `InputError` when there is no such path.

    Where they cannot be encoded, this is reported to `faults`.
    """
    if not documents.exists():
        raise InputError("documents.missing", f"{documents}: there is no such file or folder")
    wish = (str(documents.resolve()),)
    told = list(collection.take(DocumentsRequest(request_id="here", action="add", arguments=wish)))
    while not any(isinstance(message, DocumentsDone) for message in told):
        pause_s = collection.deadline_s() - time.monotonic()
        time.sleep(min(LONGEST_PAUSE_S, max(0.0, pause_s)))
        told = list(faults.until_fault("reader", collection.step(time.monotonic())))
        for message in told:
            if isinstance(message, DocumentsProgress):
                progress(message.encoded, message.passages)
