"""What is sent from outside cannot forge a line of the log, or move the terminal that shows it."""

from __future__ import annotations

import io
import logging
import subprocess
import sys

import pytest

from assistant.supervision import logs

FORGED = "light.x\nasr: ERROR all is lost\r\x1b[2J\x9b1m\u2028\u202e\ud800"


@pytest.fixture(params=[False, True], ids=["stderr", "journal"])
def log(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[logging.Logger, io.StringIO]:
    told = io.StringIO()
    handler = logging.StreamHandler(told)
    handler.setFormatter(logs._LogFormatter("bridge", request.param))
    logger = logging.Logger("told")
    logger.addHandler(handler)
    return logger, told


def test_a_message_is_one_line(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, told = log
    logger.warning("%s: tells no state (bridge.payload)", FORGED)
    (line,) = told.getvalue().splitlines()
    assert line.isprintable()
    assert line.isascii()
    assert "light.x\\nasr: ERROR" in line
    assert line.endswith("(bridge.payload)")


def test_a_long_message_is_cut(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, told = log
    logger.warning("%s", "x" * 1_000_000)
    assert len(told.getvalue()) < logs.LONGEST_LINE + 100


def test_no_line_of_a_traceback_looks_like_a_message(
    log: tuple[logging.Logger, io.StringIO],
) -> None:
    logger, told = log
    try:
        raise ValueError(FORGED)
    except ValueError:
        logger.exception("it fails (stage.fault)")
    first, *lines = told.getvalue().splitlines()
    assert "it fails" in first
    assert all(line.split(">")[-1].startswith("  ") for line in lines)
    assert all(line.isprintable() for line in lines)
    assert any(line.endswith("test_logs.py") or "test_logs.py" in line for line in lines)


def test_an_honest_message_stays_as_it_is(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, told = log
    logger.info("küche: “21 °C” 👨‍👩‍👧 (bridge.ready)")
    assert told.getvalue().rstrip("\n").endswith("INFO küche: “21 °C” 👨‍👩‍👧 (bridge.ready)")


def test_what_nobody_catches_is_written_as_all_else_is() -> None:
    program = (
        "import threading; from assistant.supervision.logs import set_up; set_up('x', 'info')\n"
        "def die(): raise ValueError('a\\nb\\x1b[2J')\n"
        "thread = threading.Thread(target=die); thread.start(); thread.join(); die()"
    )
    ran = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stderr.count("CRITICAL ends by a fault of the program") == 2
    assert ran.stderr.count(r"  b\x1b[2J") == 2
    assert "\x1b" not in ran.stderr
