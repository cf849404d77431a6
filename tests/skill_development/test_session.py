"""What is saved is loaded into the session; what is wrong in it is told, and it goes on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest

from assistant.core.config import Config
from assistant.core.errors import SkillError
from assistant.core.messages import SpokenReply
from assistant.core.settings.skills import SkillsSettings
from assistant.skill_development.package import write_package
from assistant.skill_development.saved import SavedFiles
from assistant.skill_development.session import Session
from skills.registry import load_registry
from skills.state import open_state
from tests.cli.test_bad_input import assistant, refused
from tests.support.commands import PROGRAM

PATIENCE_S = 120.0
OTHERS = tuple({manifest.name for manifest in load_registry().manifests} - {"timer"})

pytestmark = pytest.mark.usefixtures("sentences_alone")


@pytest.fixture
def tide(tmp_path: Path) -> Path:
    return write_package("tide", tmp_path)


@pytest.fixture
def session(tide: Path) -> Iterator[Session]:
    with closing(open_state(None)) as state:
        yield Session(tide, Config(skills=SkillsSettings(disabled=OTHERS)), state)


def reply(session: Session, text: str) -> str:
    said = session.say(text, lambda stage, seconds: None)
    return " ".join(m.text for m in said if isinstance(m, SpokenReply))


def edit(tide: Path, old: str, new: str) -> None:
    module = tide / "__init__.py"
    assert old in module.read_text()
    module.write_text(module.read_text().replace(old, new))


def test_what_is_saved_is_loaded_and_the_state_stays(tide: Path, session: Session) -> None:
    session.load()
    assert "five minutes" in reply(session, "set a pasta timer for five minutes")
    assert reply(session, "try the tide two times") == "I tried the tide two times."
    edit(tide, "I tried", "You tried")
    assert reply(session, "try the tide two times") == "I tried the tide two times."  # not yet
    session.load()
    assert reply(session, "try the tide two times") == "You tried the tide two times."
    edit(tide, '"try [the]', '"attempt [the]')
    session.load()
    assert reply(session, "attempt the tide two times") == "You tried the tide two times."
    assert "pasta timer" in reply(session, "how long is left on the pasta timer")


def test_a_module_beside_the_first_is_loaded_again_too(tide: Path, session: Session) -> None:
    (tide / "words.py").write_text('REPLY = "Once"\n')
    edit(tide, "from typing", "from .words import REPLY\nfrom typing")
    edit(tide, 'f"I tried', 'f"{REPLY} I tried')
    session.load()
    assert reply(session, "try the tide two times").startswith("Once I tried")
    (tide / "words.py").write_text('REPLY = "Again and again"\n')
    session.load()
    assert reply(session, "try the tide two times").startswith("Again and again I tried")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    return", "    retrn", "line 13"),
        ("import Reply", "import Repply", "line 5"),
        ("{times} times", "{tims} times", "line 10"),
        ("[{times} times]", "[{times} times", "line 10"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tide: Path, session: Session, old: str, new: str, told: str
) -> None:
    session.load()
    edit(tide, old, new)
    session.load()
    assert str(tide / "__init__.py") in session.fault
    assert told in session.fault
    assert reply(session, "try the tide two times") == "I tried the tide two times."
    edit(tide, new, old)
    session.load()
    assert session.fault == ""


def test_a_skill_that_is_wrong_from_the_start_is_waited_for(tide: Path, session: Session) -> None:
    edit(tide, "    return", "    retrn")
    session.load()
    with pytest.raises(SkillError, match="line 13"):
        reply(session, "try the tide two times")
    edit(tide, "    retrn", "    return")
    session.load()
    assert reply(session, "try the tide two times") == "I tried the tide two times."


def test_a_skill_that_fails_when_called_is_told_with_its_line(tide: Path, session: Session) -> None:
    edit(tide, "    return", "    1 / 0\n    return")
    session.load()
    with pytest.raises(SkillError, match=r"line 13\): division by zero"):
        reply(session, "try the tide two times")
    assert "five minutes" in reply(session, "set a timer for five minutes")


def test_only_what_a_skill_is_made_of_counts_as_saved(tide: Path) -> None:
    saved = SavedFiles(tide)
    assert not saved.changed()
    (tide / "README.md").write_text("No code.")
    (tide / "__pycache__").mkdir()
    (tide / "__pycache__" / "a.py").touch()
    assert not saved.changed()
    edit(tide, "I tried", "You tried")
    assert saved.changed()
    assert not saved.changed()
    (tide / "words.py").touch()
    assert saved.changed()
    (tide / "words.py").unlink()
    assert saved.changed()


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused(assistant(tmp_path, "skills", "dev", tmp_path / "none"), "no such folder")
    with closing(open_state(None)) as state:
        session = Session(tmp_path / "none", Config(), state)
        session.load()
        assert "no such folder" in session.fault


class Prompt:
    """The command `skills dev` in a process, driven as by a person at a terminal."""

    def __init__(self, folder: Path) -> None:
        config = folder.parent / "config.toml"
        config.write_text(f"[nlu]\nmodels = false\n[skills]\ndisabled = {list(OTHERS)}\n")
        command = (*PROGRAM, "skills", "dev", str(folder), "--config", str(config))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        environment = {**os.environ, "HOME": str(folder)}
        self.process = subprocess.Popen(command, env=environment, text=True, bufsize=1, **pipes)  # type: ignore[call-overload]
        self._lines: Queue[str] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def type(self, text: str) -> None:
        self.process.stdin.write(f"{text}\n")

    def tells(self, words: str) -> str:
        """The next line that holds these words."""
        while True:
            line = self._lines.get(timeout=PATIENCE_S)
            if words in line:
                return line

    def close(self) -> int:
        self.process.stdin.close()
        self._reader.join(PATIENCE_S)
        return int(self.process.wait(PATIENCE_S))

    def _read(self) -> None:
        with self.process.stdout as output:
            for line in output:
                self._lines.put(line)


def test_the_prompt_loads_what_is_saved_while_it_waits(tide: Path) -> None:
    prompt = Prompt(tide)
    assert "ms" in prompt.tells("loaded in")
    prompt.type("set a pasta timer for five minutes")
    prompt.tells("starting now")
    prompt.type("try the tide")
    prompt.tells("How many times?")
    edit(tide, "    return", "    retrn")
    assert str(tide / "__init__.py") in prompt.tells("line 13")
    prompt.type("try the tide two times")
    prompt.tells("I tried the tide two times.")
    edit(tide, '    retrn Reply(f"I tried', '    return Reply(f"You tried')
    prompt.tells("loaded in")
    prompt.type("try the tide two times")
    prompt.tells("You tried the tide two times.")
    prompt.type("how long is left on the pasta timer")
    prompt.tells("pasta timer for five minutes has")
    assert prompt.close() == 0
    assert not list(tide.rglob("*.pyc"))
