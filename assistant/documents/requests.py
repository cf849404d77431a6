"""Requests about documents: sent to the daemon when it runs, else carried out here the same way."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any, Literal

import msgspec

from assistant.composition import Composition
from assistant.control.client import ControlClient
from assistant.core.config import Config
from assistant.core.errors import AnswerError, ControlError, InputError
from assistant.core.layout import KNOWLEDGE_FILE
from assistant.core.messages import (
    DocumentsDone,
    DocumentsListed,
    DocumentsProgress,
    DocumentsRequest,
    DocumentSummary,
    Message,
    StageRestarted,
)

SILENCE_S = 120.0
"""Most seconds without a message: one very long document may take as long on a slow board."""
LONGEST_PAUSE_S = 0.05

Action = Literal["add", "remove", "list", "summarise"]
DocumentsEvent = DocumentsProgress | DocumentsListed | DocumentSummary | DocumentsDone
_ANSWERS: Any = DocumentsEvent | StageRestarted


def ask(config: Config, action: Action, names: Sequence[str]) -> Iterator[DocumentsEvent]:
    """What is reported until the request is carried out, ending with `DocumentsDone`.

    Raises `InputError` for names that are wrong, `AnswerError`, `StorageError`, `ControlError`.
    """
    for name in names:
        _require_text(name)
    request = DocumentsRequest(request_id=uuid.uuid4().hex, action=action, arguments=tuple(names))
    for message in _answers(config, request):
        if isinstance(message, DocumentsDone) and message.error:
            kind = InputError if message.code.startswith("documents.") else AnswerError
            raise kind(message.code, message.error)
        yield message
        if isinstance(message, DocumentsDone):
            return
    raise ControlError("control.silent", "the daemon ended before it was done; ask again")


def _require_text(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError as error:
        message = f"{name!a}: the name is not in UTF-8; rename what is called so"
        raise InputError("documents.name", message) from error


def _answers(config: Config, request: DocumentsRequest) -> Iterator[DocumentsEvent]:
    control = ControlClient(config.control_socket)
    try:
        yield from _of_daemon(control, request)
    except ControlError as error:
        if error.code != "control.down":
            raise
        yield from _done_here(config, request)


def _of_daemon(control: ControlClient, request: DocumentsRequest) -> Iterator[DocumentsEvent]:
    lines = control.follow("documents", SILENCE_S, (request.action, *request.arguments))
    asked = next(lines, {"request_id": ""})["request_id"]
    for line in lines:
        told = msgspec.convert(line, _ANSWERS)
        if isinstance(told, StageRestarted):
            if told.stage == "answer":
                message = f"the daemon's answer process ended ({told.reason}); ask again"
                raise ControlError("control.restarted", message)
        elif getattr(told, "request_id", asked) == asked:
            yield told


def _done_here(config: Config, request: DocumentsRequest) -> Iterator[DocumentsEvent]:
    with ExitStack() as open_things:
        composition = Composition(config)
        knowledge = composition.answering.knowledge(config.state_dir / KNOWLEDGE_FILE)
        open_things.callback(knowledge.close)
        collection = open_things.enter_context(closing(composition.answering.collection(knowledge)))
        yield from _known(collection.take(request))
        while True:
            step = collection.step(time.monotonic())
            yield from _known(composition.answering.faults.until_fault("reader", step))
            pause_s = collection.deadline_s() - time.monotonic()
            time.sleep(min(LONGEST_PAUSE_S, max(0.0, pause_s)))


def _known(messages: Iterator[Message]) -> Iterator[DocumentsEvent]:
    return (message for message in messages if isinstance(message, DocumentsEvent))
