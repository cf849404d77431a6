"""The checks that a version of a model must pass before it is used, by the kind of the model.

Its files must be as recorded, its inputs and outputs those of the manifest, and the outputs for the
model's canaries as recorded. Each kind of model has a row in `KINDS`; where it has canaries, the
row names a function that opens a version to answer them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from assistant.answer.canaries import of_generator, of_reader
from assistant.answer.generation.generator import Generator
from assistant.answer.retrieval.encoder import PassageEncoder as DocumentEncoder
from assistant.core.errors import ModelError
from assistant.core.models.canary import Answer, judge, load_canaries
from assistant.core.models.manifest import Library
from assistant.core.models.session import check_interface
from assistant.core.models.swap import refusal
from assistant.core.models.versions import InUse, write_in_use
from nlu.classifier import canaries
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.tagger import Tagger


class Kind(NamedTuple):
    """A kind of model."""

    stage: str
    """The process that runs such models."""
    opened: Callable[[Library, str], Answer] | None = None
    """Opens a version to answer canaries; None for a kind without canaries."""


def _intent(library: Library, name: str) -> Answer:
    return canaries.of_intent(SentenceEncoder.load(library), library.read(name)["examples.npz"])


def _slots(library: Library, _: str) -> Answer:
    return canaries.of_slots(Tagger.load(library))


def _reader(library: Library, _: str) -> Answer:
    return of_reader(DocumentEncoder.load(library))


def _generator(library: Library, name: str) -> Answer:
    return of_generator(Generator.load(library, name))


KINDS = {
    "intent": Kind("nlu", _intent),
    "slots": Kind("nlu", _slots),
    "language": Kind("nlu"),
    "rewriter": Kind("nlu"),
    "asr": Kind("asr"),
    "acoustic": Kind("asr"),
    "hearing": Kind("asr"),
    "voice": Kind("voice"),
    "wake": Kind("audio"),
    "encoder": Kind("answer"),
    "reader": Kind("answer", _reader),
    "generator": Kind("answer", _generator),
}


def require(library: Library, name: str) -> None:
    """Raise `ModelError` unless the version of the model that `library` reads exists."""
    version, known = library.version(name), library.versions(name)
    if version not in known:
        message = f"{name} has no version {version} here; there are: {', '.join(known)}"
        raise ModelError("model.no_version", message)


def opened(library: Library, name: str) -> Answer | None:
    """Open the version that `library` reads, to answer canaries; None for a kind without canaries.

    Raises `ModelError` when it is not as recorded or has another interface.
    """
    require(library, name)
    kind = KINDS[library.artefact(name).kind]
    if kind.opened is not None:
        return kind.opened(library, name)
    check_interface(library, name, library.read(name))
    return None


def check_version(library: Library, name: str) -> None:
    """Raise unless the version of the model that `library` reads can be used."""
    answer = opened(library, name)
    if answer is not None:
        check_answers(library, name, answer)


def check_answers(library: Library, name: str, answer: Answer) -> None:
    """Raise `ModelError` when `answer` does not pass the model's canaries."""
    recorded = load_canaries(library, name)
    if recorded is not None:
        judge(recorded, answer, f"{name} {library.version(name)}")


def refuse_unsound(library: Library, name: str) -> None:
    """Run `check`, and raise any exception of a library as an `AssistantError`."""
    with ThreadPoolExecutor(1) as thread:
        fault = thread.submit(check_version, library, name).exception()
    if fault is not None:
        raise refusal(f"{name} {library.version(name)}", fault) from fault


def put_in_use(library: Library, name: str) -> None:
    """Record the version that `library` reads as the one in use, also after a restart.

    Raises `ModelError` when that cannot be stored.
    """
    version, now = library.version(name), library.in_use(name)
    if version != now.version:
        use = InUse(version=version, before=now.version, manifest=library.artefact(name).version)
        write_in_use(library.pulled, name, use)
