"""A command within the tests' process prints and ends as in one of its own, and leaves no trace."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import as_process, run_assistant, run_process


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("skills", "--help"), 0),
        (("models", "list", "--json"), 0),
        (("say", "--louder", "hello"), 2),
        (("sensors", "replay", "none.csv"), 2),
        (("run", "--single", "--config", "none.toml"), 2),
    ],
    ids=lambda words: "" if isinstance(words, int) else words[0],
)
def test_it_is_as_in_a_process_of_its_own(
    words: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "COLUMNS": "100"}
    within, alone = (
        run(*words, env=environment, cwd=tmp_path) for run in (run_assistant, run_process)
    )
    assert (within.returncode, within.stdout, within.stderr) == (
        alone.returncode,
        alone.stdout,
        alone.stderr,
    )
    assert within.returncode == status


def test_a_fault_of_the_program_ends_it_with_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(_: object) -> None:
        raise ZeroDivisionError("of the program")

    monkeypatch.setattr("assistant.cli.config.load_config", fault)
    done = run_assistant("config")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("ZeroDivisionError: of the program\n")


def test_what_it_sets_does_not_stay(tmp_path: Path) -> None:
    def state() -> tuple[object, ...]:
        mask = os.umask(0o22)
        os.umask(mask)
        levels = [logging.getLogger(name).level for name in ("", "audio.listener", "audio.later")]
        handlers = (list(logging.root.handlers), signal.getsignal(signal.SIGTERM))
        return Path.cwd(), dict(os.environ), time.tzname, list(sys.argv), mask, levels, handlers

    before = state()
    with as_process(("assistant", "run"), {"TZ": "Asia/Tokyo"}, tmp_path):
        assert (os.environ["TZ"], time.tzname[0], Path.cwd()) == ("Asia/Tokyo", "JST", tmp_path)
        os.umask(0o077)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        logging.basicConfig(level="DEBUG", force=True)
        for name in ("audio.listener", "audio.later"):
            logging.getLogger(name).setLevel(logging.ERROR)
    assert state() == before
