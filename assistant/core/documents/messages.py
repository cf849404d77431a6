"""What is asked of the documents from the command line, what is told of them, and its wording."""

from __future__ import annotations

from typing import Literal

from assistant.core.parts import (
    Control,
    Fact,
    Id,
    ListedDocument,
    ReplyText,
    Spoken,
    UserText,
    Work,
)


class DocumentsRequest(Work, frozen=True, kw_only=True):
    """A request from the command line about documents.

    "add" takes paths, "remove" paths or titles, "list" nothing, and "summarise" the name of a
    document or a part of one, and the wished number of words, if any.
    """

    utterance_id: Id = ""
    request_id: Id
    action: Literal["add", "remove", "list", "summarise"]
    arguments: tuple[str, ...] = ()


class DocumentsProgress(Control, frozen=True, kw_only=True):
    """How many documents have been read and how many of their passages encoded."""

    files_done: int
    files: int
    encoded: int
    passages: int
    fault: str = ""
    """What is wrong with one file, in one line; "" for nothing."""


class DocumentsListed(Control, frozen=True, kw_only=True):
    """Some of the documents that the request `request_id` is to list, in order."""

    request_id: Id
    documents: tuple[ListedDocument, ...]


class DocumentSummary(Control, frozen=True, kw_only=True):
    """The summary that the request `request_id` asked for."""

    request_id: Id
    title: str
    place: str
    """The part of the document that is summarised; "" for all of it."""
    path: str
    sentences: tuple[str, ...]


class DocumentsDone(Control, frozen=True, kw_only=True):
    """The request `request_id` has ended; where it failed, `error` says why."""

    request_id: Id
    documents: int = 0
    """Documents in the collection; 1 for a summary."""
    passages: int = 0
    """Passages in the collection."""
    code: str = ""
    """The fault's code; "" when there was none."""
    error: str = ""


class Phrase(Spoken, frozen=True, kw_only=True):
    """Work for a generator that serves other processes: one sentence that says what was found.

    It is what `text` says of the `question`, and is shorter than that where there is none. Where
    there are `facts`, it says all of these, as the reply to the question that meant `intent`.
    """

    question: UserText = ""
    text: ReplyText = ""
    title: str = ""
    answer: str = ""
    """The words of the text that answer."""
    facts: tuple[Fact, ...] = ()
    intent: str = ""


class Phrased(Spoken, frozen=True, kw_only=True):
    """The sentence; "" where there is none, and `code` says why, if the generator gave none."""

    text: ReplyText = ""
    code: str = ""
