"""The models that a process has open, so that a rebuilt stage does not open them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from assistant.core.memory import available_bytes
from assistant.core.models.manifest import Library

Model = TypeVar("Model")

SPARE_BYTES = 500_000_000
"""Memory that must be available for an unused model to be kept open for a rollback."""


class OpenModels:
    """Opens each version of a model once; versions are distinguished by the hashes of their files.

    The latest version of each model stays open and, when there is enough memory, the one before.
    """

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Any]] = {}

    def get(
        self,
        library: Library,
        name: str,
        load: Callable[[], Model],
        check: Callable[[Model], None] | None = None,
    ) -> Model:
        """The version of `name` that `library` reads; it is loaded unless it is open.

        A model that `check` rejects is not kept. Raises what `check` and `load` raise, and
        `ModelError` when no hash of the model's files is known.
        """
        if not library.present(name):
            return load()  # which raises, and names what is missing and the remedy
        kept = self._kept.setdefault(name, {})
        version = " ".join(library.expected(name).values())
        model: Model = kept[version] if version in kept else load()
        if check is not None:
            check(model)
        kept.pop(version, None)
        spare = 1 if available_bytes() > SPARE_BYTES else 0
        for other in list(kept)[: len(kept) - spare]:
            del kept[other]
        kept[version] = model  # the latest comes last
        return model
