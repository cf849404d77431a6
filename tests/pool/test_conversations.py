"""What was asked before in a conversation, as another worker is told it."""

from __future__ import annotations

from assistant.core.messages import Question
from assistant.pool.conversations import FRESH_S, Conversations
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape


def asked(name: str, key: str = "red/hall") -> PoolRequest:
    question = Question(utterance_id=name, text=name)
    return PoolRequest(messages=(question,), shape=RequestShape(tokens=1, key=key))


def before(request: PoolRequest | None) -> str:
    return request.utterance_id if request is not None else ""


def test_the_last_request_is_told_while_it_is_fresh() -> None:
    talks = Conversations()
    times = {"first": 0.0, "second": FRESH_S - 1, "third": 2 * FRESH_S}
    told = [before(talks.before("nlu", asked(name), at_s)) for name, at_s in times.items()]
    assert told == ["", "first", ""]
    assert talks.before("nlu", asked("other", "red/attic"), 2 * FRESH_S) is None
    assert talks.before("answer", asked("other"), 2 * FRESH_S) is None


def test_what_is_asked_once_more_has_the_same_before_it() -> None:
    talks = Conversations()
    names = ("first", "first", "second", "second", "second", "third")
    told = [before(talks.before("nlu", asked(name), 1.0)) for name in names]
    assert told == ["", "", "first", "first", "first", "second"]
