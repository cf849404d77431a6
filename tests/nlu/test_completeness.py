"""A person who has said a whole sentence may still go on."""

from __future__ import annotations

from nlu.completeness import Completeness

ORDERS = ["a small latte"] + [
    f"a small latte with {what}" for what in ("milk", "cream", "sugar")
] * 3


def test_what_mostly_goes_on_is_not_over() -> None:
    assert not Completeness(ORDERS).likely("a small latte")


def test_what_mostly_ends_there_is_over() -> None:
    assert Completeness(ORDERS).likely("a small latte with milk")
    assert Completeness(["a small latte"]).likely("a small latte")


def test_one_word_and_words_never_heard_tell_nothing() -> None:
    endings = Completeness([*ORDERS, "stop"])
    assert not endings.likely("stop")
    assert not endings.likely("")
    assert not endings.likely("with lemonade")
