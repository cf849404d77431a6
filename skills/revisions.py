"""Finds the revision of an utterance to act on: the committed one, once, in any order of arrival.

1. The latest interpretation of each utterance is held.
2. A commit releases the interpretation of its revision, at once or when it arrives.
3. An utterance that was released is never released again.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

from assistant.core.messages import Commit, Interpretation

KEPT = 64
"""Most utterances remembered of each kind; one is over long before so many more have begun."""

Value = TypeVar("Value")


class Revisions:
    """Interpretations waiting for their commit, and commits for their interpretation."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, Interpretation] = OrderedDict()
        self._committed: OrderedDict[str, int] = OrderedDict()
        self._released: OrderedDict[str, None] = OrderedDict()

    def hold(self, interpretation: Interpretation) -> Interpretation | None:
        """Hold a revision; return it if its commit has already arrived."""
        held = self._held.get(interpretation.utterance_id)
        if held is None or held.revision <= interpretation.revision:
            _remember(self._held, interpretation.utterance_id, interpretation)
        return self._release(interpretation.utterance_id)

    def commit(self, commit: Commit) -> Interpretation | None:
        """Note a commit; return its revision if it is here and was not acted on before."""
        _remember(self._committed, commit.utterance_id, commit.revision)
        return self._release(commit.utterance_id)

    def _release(self, utterance_id: str) -> Interpretation | None:
        held = self._held.get(utterance_id)
        revision = self._committed.get(utterance_id)
        if held is None or held.revision != revision or utterance_id in self._released:
            return None
        _remember(self._released, utterance_id, None)
        del self._held[utterance_id], self._committed[utterance_id]
        return held


def _remember(kept: OrderedDict[str, Value], key: str, value: Value) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > KEPT:
        kept.popitem(last=False)
