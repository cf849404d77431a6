"""The models of understanding that are open, so that a stage made anew opens none a second time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from assistant.core.memory import available_bytes
from assistant.core.models.manifest import Library
from nlu.classifier.encoder import MODEL as INTENT
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.tagger import MODEL as NER
from nlu.classifier.tagger import Tagger

Model = TypeVar("Model", SentenceEncoder, Tagger)

SPARE_BYTES = 500_000_000
"""Memory that must be available for a model that is out of use to be kept for a rollback."""


class Opened:
    """Opens encoder and tagger once for each version, which is told by its files' hashes.

    Of each the latest stays, and where there is enough memory the one before it.
    """

    def __init__(self) -> None:
        self._encoders: dict[str, SentenceEncoder] = {}
        self._taggers: dict[str, Tagger] = {}

    def encoder(
        self, library: Library, check: Callable[[SentenceEncoder], None] | None = None
    ) -> SentenceEncoder:
        """The version that `library` reads, once `check` has let it pass.

        Raises what that does, or `ModelError` as `SentenceEncoder.load` does.
        """
        return _one(self._encoders, library, INTENT, SentenceEncoder.load, check)

    def tagger(self, library: Library, check: Callable[[Tagger], None] | None = None) -> Tagger:
        """The same of the tagger."""
        return _one(self._taggers, library, NER, Tagger.load, check)


def _one(
    kept: dict[str, Model],
    library: Library,
    name: str,
    load: Callable[[Library], Model],
    check: Callable[[Model], None] | None,
) -> Model:
    library.read(name)  # a file that was damaged since is told, though a sound copy is open
    identity = " ".join(library.expected(name).values())
    model: Model = kept[identity] if identity in kept else load(library)
    if check is not None:
        check(model)
    kept.pop(identity, None)
    spare = 1 if available_bytes() > SPARE_BYTES else 0
    for other in list(kept)[: len(kept) - spare]:
        del kept[other]
    kept[identity] = model  # the latest comes last
    return model
