"""Answers from the user's documents for one command, in this process and not in the daemon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from assistant.answer.answers import DocumentAnswers
from assistant.answer.ingest.collection import Collection
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.degraded import Degraded
from assistant.core.errors import InputError, StorageError
from assistant.core.layout import KNOWLEDGE_FILE
from assistant.core.messages import DocumentsDone, DocumentsProgress, DocumentsRequest
from assistant.core.settings.documents import DocumentsSettings

LONGEST_PAUSE_S = 0.05

Progress = Callable[[int, int], None]


@contextmanager
def consult(
    config: Config,
    documents: Path | None,
    progress: Progress = lambda done, total: None,
    now: Callable[[], datetime] | None = None,
) -> Iterator[DocumentAnswers]:
    """Give, while open, answers from the index, or from the file or folder `documents` alone.

    The latter is first read into memory; `progress` receives the number of its passages. `now`
    gives another aware time than the clock's. Raises `InputError` where there is nothing to answer
    from, also while the daemon has the index open.
    """
    if documents is not None:
        config = msgspec.structs.replace(config, documents=DocumentsSettings())
    answering = Composition(config, now=now).answering
    with ExitStack() as open_things:
        knowledge = answering.knowledge(None) if documents is not None else _indexed(config)
        open_things.callback(knowledge.close)
        vectors = answering.vectors(knowledge)
        collection = open_things.enter_context(closing(answering.collection(knowledge, vectors)))
        if documents is not None:
            read_in(collection, documents, answering.faults, progress)
        if not knowledge.sources.all():
            raise _nothing(documents)
        yield answering.answers(knowledge, vectors)


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
