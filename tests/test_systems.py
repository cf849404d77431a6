"""The check of bare systems: what it is asked for, what it lets in, and how it fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.systems import __main__ as systems
from scripts.systems.root import CheckError, call, registry_settings, until

REPOSITORY = Path(__file__).resolve().parent.parent


def test_who_is_not_root_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "id").write_text("#!/bin/sh\necho 1000\n", "utf-8")
    (tmp_path / "id").chmod(0o755)
    refused = subprocess.run(
        ("make", "check-systems"),
        cwd=REPOSITORY,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode != 0
    assert refused.stderr.splitlines()[0] == "run: sudo make check-systems"


def test_only_the_readmes_commands_can_be_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setenv("CHECK", "demo piper")
    assert systems.main() == 2
    assert capsys.readouterr().err == "CHECK may name demo and test\n"


def test_one_system_that_fails_fails_the_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def tried(name: str, _check: object, _suite: str, _machine: str = "amd64") -> bool:
        return name != "Debian 12"

    monkeypatch.chdir(REPOSITORY)
    monkeypatch.delenv("CHECK", raising=False)
    monkeypatch.delenv("ARM", raising=False)
    monkeypatch.setattr(systems, "_report", tried)
    assert systems.main() == 1
    monkeypatch.setattr(systems, "_report", lambda *_: True)
    assert systems.main() == 0
    assert capsys.readouterr().out == ""


def test_an_attack_is_all_that_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    done = list[str]()

    def tried(name: str, _check: object, _suite: str) -> bool:
        done.append(name)
        return False

    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setenv("ATTACK", "1")
    monkeypatch.setattr(systems, "_report", tried)
    assert systems.main() == 1
    assert done == ["Debian 12, under attack"]


def test_the_roots_get_the_way_to_the_registry_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CERT", "/etc/ca.crt")
    monkeypatch.setenv("https_proxy", "http://localhost:1")
    monkeypatch.setenv("HOME", "/home/me")
    assert registry_settings() == [
        ("PIP_CERT", "/etc/ca.crt"),
        ("https_proxy", "http://localhost:1"),
    ]


def test_a_command_that_fails_is_told_with_its_last_words() -> None:
    with pytest.raises(CheckError, match="status 3\nlast words"):
        call(sys.executable, "-c", "print('last words'); raise SystemExit(3)")


def test_what_does_not_come_in_time_is_told() -> None:
    with pytest.raises(CheckError, match="not within 0 s: the bridge runs"):
        until(lambda: False, 0.0, "the bridge runs")
