"""Every process of the daemon dies, and all hang at once: each is started again and serves."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from assistant.core.layout import MEMBERS
from tests.support.scenario import (
    STARTUP_S,
    Daemon,
    Do,
    Expect,
    Kill,
    Rest,
    SayMeanwhile,
    Spoken,
    Step,
    quiet,
    served,
    tell,
)

pytestmark = pytest.mark.e2e

HEARING = ("asr", "audio")
NOTICE = Expect("PlaybackEnded", {"utterance_id": "notice"})


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with quiet(tmp_path_factory.mktemp("recovery")) as started:
        yield started


def test_each_process_that_is_killed_is_told_of_and_started_again(daemon: Daemon) -> None:
    before = _processes(daemon)
    assert before.keys() == set(MEMBERS)
    story: list[Step] = []
    for number, stage in enumerate(name for name in MEMBERS if name not in HEARING):
        light = ("on", "off")[number % 2]
        serves = (
            step
            for step in served(light, typed=True)
            if stage == "voice" or not isinstance(step, Spoken)
        )
        story += [Kill(stage), *_restarted(stage), *serves]
    story += [
        NOTICE,
        SayMeanwhile("computer, what can you do"),
        Expect("Woke"),
        *(step for stage in HEARING for step in (Kill(stage), *_restarted(stage))),
        NOTICE,
        Rest(),  # who goes on at once speaks into the same utterance
        *served("off"),
    ]
    tell(daemon, story)
    after = _processes(daemon)
    assert not [name for name in MEMBERS if before[name] == after[name]]


def test_all_that_hang_at_once_are_started_again(daemon: Daemon) -> None:
    hung = _processes(daemon)
    tell(
        daemon,
        [
            Do("stop all", lambda _: [os.kill(pid, signal.SIGSTOP) for pid in hung.values()]),
            Do("wait for others", lambda daemon: _await_others(daemon, hung)),
            Rest(),  # what is said over a notice may be missed
            *served("on"),
        ],
    )


def _restarted(stage: str) -> list[Step]:
    if stage == "control":  # who watches joins its successor a moment after that was told
        return [Expect("Status")]
    return [Expect("StageRestarted", {"stage": stage})]


def _processes(daemon: Daemon) -> dict[str, int]:
    """Process → its id, once all are ready."""
    ends_s = time.monotonic() + STARTUP_S
    while time.monotonic() < ends_s:
        try:
            found = daemon.request("status")["processes"]
        except (OSError, ValueError, KeyError):
            found = []
        if {one["state"] for one in found} == {"ready"}:
            return {one["name"]: int(one["pid"]) for one in found}
        threading.Event().wait(0.05)
    raise AssertionError("not all are ready")


def _await_others(daemon: Daemon, hung: dict[str, int]) -> None:
    """Wait until none of the processes is one of those that hang."""
    ends_s = time.monotonic() + STARTUP_S
    while hung.items() & _processes(daemon).items():
        assert time.monotonic() < ends_s
        threading.Event().wait(0.05)
