"""A daemon whose processes are killed keeps its promises, and one that did not would be noticed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.messages import Message, PlaybackEnded, PlaybackStarted, SpokenReply
from benchmarks.endurance.kills import Attack
from benchmarks.endurance.promises import Kept, Oracle, Wish

TEA = Wish(utterance_id="w1", kind="timer", text="set a tea timer …", thing="tea 40")
PLUMS = Wish(utterance_id="w2", kind="item", text="add plums …", thing="plums")
DIM = Wish(utterance_id="w3", kind="device", text="set …", thing="light.hall", value="5%")
BRIGHT = Wish(utterance_id="w4", kind="device", text="set …", thing="light.hall", value="90%")
DONE = {"text": "", "acted": True}
RING = {"utterance_id": "timer-t1-1795400338"}
KEPT = Kept(timers={"t1": "tea 40"}, items=("plums",), devices={"light.hall": "5%"})


def told(*messages: Message, kept: Sequence[Kept] = (KEPT,)) -> Oracle:
    """An oracle that was wished all of the above, saw what was kept, and heard the messages."""
    oracle = Oracle()
    for wish in (TEA, PLUMS, DIM):
        oracle.note(wish)
    for moment in kept:
        for line in oracle.saw(moment):
            oracle.note(line)
    for message in messages:
        for line in list(oracle.learned(message)):
            oracle.note(line)
    return oracle


def promises(*ids: str) -> list[SpokenReply]:
    return [SpokenReply(utterance_id=said, **DONE) for said in ids]


def test_what_is_kept_or_rung_is_not_lost() -> None:
    assert not any(told(*promises("w1", "w2", "w3")).judge(KEPT).lost)
    rung = told(*promises("w1"), PlaybackStarted(**RING), PlaybackEnded(**RING))
    assert not any(rung.judge(Kept(timers={}, items=(), devices={})).lost)


@pytest.mark.parametrize(
    ("kept", "what"),
    [
        (Kept(timers={}, items=("plums",), devices={"light.hall": "5%"}), "timer tea 40"),
        (Kept(timers=KEPT.timers, items=(), devices={"light.hall": "5%"}), "item plums"),
        (Kept(timers=KEPT.timers, items=("plums",), devices={"light.hall": "on"}), "light.hall"),
    ],
)
def test_what_was_promised_and_is_gone_is_noticed(kept: Kept, what: str) -> None:
    (lost,) = told(*promises("w1", "w2", "w3")).judge(kept).lost
    assert lost.startswith(what)


def test_a_timer_that_never_was_there_is_noticed() -> None:
    nothing = Kept(timers={}, items=(), devices={})
    (lost,) = told(*promises("w1"), kept=()).judge(nothing).lost
    assert lost.startswith("timer tea 40")


def test_a_ring_that_did_not_sound_to_its_end_does_not_count() -> None:
    heard = told(*promises("w1"), PlaybackEnded(**RING, interrupted=True))
    assert heard.judge(Kept(timers={}, items=(), devices={})).lost


def test_what_was_not_promised_may_be_there_or_not() -> None:
    assert told().judge(KEPT) == told().judge(Kept(timers=KEPT.timers, items=(), devices={}))


def test_a_later_wish_without_a_promise_may_have_been_done() -> None:
    oracle = told(*promises("w3"))
    oracle.note(BRIGHT)
    for value, is_lost in (("5%", False), ("90%", False), ("on", True)):
        kept = Kept(timers=KEPT.timers, items=KEPT.items, devices={"light.hall": value})
        assert bool(oracle.judge(kept).lost) is is_lost


def test_what_is_done_twice_is_noticed() -> None:
    twice = Kept(
        timers={"t1": "tea 40", "t2": "tea 40"},
        items=("plums", "plums"),
        devices={"light.hall": "5%"},
    )
    assert told(kept=(KEPT, twice)).judge(twice).done_again == ("tea 40", "plums")


def test_a_ring_after_its_end_is_noticed() -> None:
    ring = (PlaybackStarted(**RING), PlaybackEnded(**RING))
    assert not told(*ring).judge(KEPT).rung_again
    assert told(*ring, *ring).judge(KEPT).rung_again == ("t1",)


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.timeout(600)
def test_fifty_kills_lose_nothing_and_a_planted_loss_is_noticed(tmp_path: Path) -> None:
    attack = Attack(tmp_path / "daemon", every_s=1.5)
    try:
        found = attack.run(30)
    finally:
        attack.close()
    assert found.promised["item"]
    assert found.promised["timer"]
    assert (found.lost, found.done_again, found.rung_again) == ((), (), ())
    assert (found.tracebacks, found.unsettled) == ((), 0)
    lost = _take_from_the_list(tmp_path / "daemon" / "state" / "state.db")
    attack = Attack(tmp_path / "daemon", every_s=1.5)
    try:
        found = attack.run(50)
    finally:
        attack.close()
    assert found.kills == 50
    assert [what.partition(",")[0] for what in found.lost] == [f"item {lost}"]


def _take_from_the_list(state: Path) -> str:
    with closing(sqlite3.connect(state)) as database, database:
        (text,) = database.execute("SELECT text FROM list_items ORDER BY number").fetchone()
        database.execute("DELETE FROM list_items WHERE text = ?", (text,))
    return str(text)
