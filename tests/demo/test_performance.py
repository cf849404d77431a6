"""The demo's daemon: what it says where it cannot start."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assistant.core.errors import ControlError
from assistant.demo.performance import READY_S, daemon
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
