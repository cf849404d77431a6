"""The daemon's start: which processes it asks the supervisor for, and with what patience."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.core.errors import ConfigError
from assistant.supervision import daemon
from assistant.supervision.bounds import Bounds
from assistant.supervision.process import Patience, ProcessSpec


class Supervised:
    """A supervisor that notes what it was to run, and ends with status 7."""

    asked: dict[str, Any]

    def __init__(self, processes: Sequence[ProcessSpec], **settings: Any) -> None:
        type(self).asked = {"processes": processes, **settings}

    def run(self) -> int:
        self.asked["umask"] = os.umask(0o077)
        return 7


@pytest.fixture(autouse=True)
def supervised(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(daemon, "Supervisor", Supervised)
    monkeypatch.setattr(daemon, "set_up", lambda *_: None)
    Supervised.asked = {}
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(
        f'[storage]\nstate = "{tmp_path}/state"\nruntime = "{tmp_path}/run"\n'
        f'cache = "{tmp_path}/cache"\n[log]\nlevel = "warning"\n'
    )
    return file


def test_every_process_is_asked_for_with_the_settings_files(config: Path) -> None:
    assert daemon.run(config, single=False) == 7
    specs = {spec.name: spec for spec in Supervised.asked["processes"]}
    assert list(specs) == ["control", "audio", "asr", "nlu", "skills", "answer", "voice"]
    for name, spec in specs.items():
        assert (spec.target, spec.arguments) == (
            "assistant.serving.processes:serve",
            (name, str(config)),
        )
        assert spec.hang_after_s == (10.0 if name == "asr" else 5.0)
        assert spec.safe is (name != "answer")
        large = name in ("asr", "answer")
        bounds = Bounds(resident_bytes=2_000_000_000) if large else Bounds()
        assert spec.bounds == bounds
    assert Supervised.asked["preload"] == (
        "assistant.serving.processes",
        "assistant.core.models.shared:keep_shared",
    )
    assert Supervised.asked["patience"] == Patience()
    assert Supervised.asked["log_level"] == "warning"


def test_the_level_of_the_log_is_the_settings_from_the_first_line(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(daemon, "set_up", lambda *given: asked.append(given))
    daemon.run(config, single=False)
    assert asked == [("assistant", "warning")]


def test_whoever_starts_it_may_have_another_patience(config: Path) -> None:
    daemon.run(config, False, Patience(failures=9))
    assert Supervised.asked["patience"] == Patience(failures=9)


def test_a_single_process_is_given_the_files_and_ends_as_it_says(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def imported(name: str) -> SimpleNamespace:
        return SimpleNamespace(run=lambda files: asked.append((name, files)) or 3)

    monkeypatch.setattr(daemon, "import_module", imported)
    assert daemon.run(config, single=True) == 3
    assert asked == [("assistant.serving.threads", (config,))]
    assert "processes" not in Supervised.asked


def test_wrong_settings_are_told_before_anything_starts(config: Path) -> None:
    config.write_text("[asr]\nthread = 2\n")
    with pytest.raises(ConfigError):
        daemon.run(config, single=False)
    assert Supervised.asked == {}


def test_a_folder_that_is_not_there_is_warned_of_and_the_rest_starts(
    config: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with config.open("a") as file:
        file.write(f'[documents]\nfolders = ["{config.parent}/nowhere"]\n')
    assert daemon.run(config, single=False) == 7
    assert f"{config.parent}/nowhere" in caplog.text
    assert "(config.missing)" in caplog.text


def test_its_folders_are_its_own_while_it_runs(config: Path) -> None:
    daemon.run(config, single=False)
    assert Supervised.asked["umask"] == 0o077  # what it writes is its user's alone
    for name in ("state", "run"):
        assert (config.parent / name).stat().st_mode & 0o777 == 0o700


def test_the_supervisor_runs_in_place_of_the_command_line_and_without_what_that_loads(
    config: Path,
) -> None:
    """The control: the command line itself loads typer, and with that pydantic."""
    loaded = "import sys; print({'typer', 'pydantic_core', 'rich'} & sys.modules.keys())"
    replaced = (
        "import os, sys; from pathlib import Path; from assistant.cli.run import run\n"
        f"{loaded}\n"
        "os.execve = lambda file, program, environment: print(*program[1:],"
        " environment['PYTHONPATH'] == os.pathsep.join(sys.path),"
        " {**environment, 'PYTHONPATH': ''} == {**os.environ, 'PYTHONPATH': ''}, flush=True)\n"
        "from assistant.supervision.daemon import take_over; take_over(Path(sys.argv[1]))"
    )
    before, program = python(replaced, str(config))
    assert "typer" in before
    assert program == f"-P -m assistant.supervision.daemon {config} True True"
    assert python(f"import assistant.supervision.daemon; {loaded}") == ["set()"]


def python(code: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_wrong_settings_end_it_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "none.toml"
    assert daemon.main([str(missing)]) == 2
    assert capsys.readouterr().err == f"assistant: {missing}: No such file or directory\n"
