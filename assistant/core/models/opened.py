"""The models that a process has open, so that a stage made anew opens none a second time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from assistant.core.memory import available_bytes
from assistant.core.models.manifest import Library

Model = TypeVar("Model")

SPARE_BYTES = 500_000_000
"""Memory that must be available for a model that is out of use to be kept for a rollback."""


class OpenModels:
    """Opens each version of a model once; the hashes of its files tell versions apart.

    Of each model the latest stays, and where there is enough memory the one before it.
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
        """The version of `name` that `library` reads, loaded unless it is open.

        One that `check` raises for is not kept. Raises what that and `load` do, and `ModelError`
        where nothing vouches for the model's files.
        """
        if not library.present(name):
            return load()  # which says what is missing, and the mend
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
