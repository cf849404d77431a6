"""The demo's daemon: what it says where it cannot start."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assistant.core.errors import ControlError
from assistant.core.messages import Message, Transcript, Utterance, Woke
from assistant.demo.performance import READY_S, daemon, is_heard
from tests.conftest import REPOSITORY


def test_a_daemon_that_ends_is_not_waited_for_and_its_reason_is_told(tmp_path: Path) -> None:
    began_s = time.monotonic()
    with (
        pytest.raises(ControlError, match=r"no-home\.yaml") as fault,
        daemon(tmp_path, tmp_path, tmp_path / "no-home.yaml", REPOSITORY / "models"),
    ):
        pytest.fail("it has started")
    assert fault.value.code == "demo.start"
    assert time.monotonic() - began_s < READY_S


@pytest.mark.parametrize("unasked", [False, True])
def test_an_answer_is_heard_without_a_wake_word_but_not_what_is_unasked(unasked: bool) -> None:
    utterance = Utterance(
        utterance_id="a",
        revision=0,
        wake_word="",
        duration_s=1.0,
        speech_s=0.5,
        speech_ended_at_s=1.0,
        unasked=unasked,
    )
    heard: list[Message] = [
        utterance,
        Transcript(utterance_id="a", revision=0, text="", unasked=unasked),
    ]
    assert [is_heard(message) for message in heard] == [not unasked] * 2
    assert is_heard(Woke(utterance_id="b", wake_word="computer"))
