"""The names of routines are told to recognition once they are on the disk, and only when new."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.messages import Message, Reload, Transcript
from assistant.core.speakable import GivenNames, read_names, write_names
from tests.support.conversation import Conversation
from tests.support.few_words_ear import ear_of
from tests.support.grammars import speakable_of
from tests.support.stand_ins import HOME
from tests.support.talking import Talk, command, made_routine

NAMES = {"routines": {"name": ("movie time",)}}
MADE_AND_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.support.talking import Talk, command, made_routine
talk = Talk(path=Path(sys.argv[1]))
made = made_routine("movie time", command("HassTurnOn", name="Ceiling"))
print(talk.say("words", made), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "names.json"


@pytest.fixture
def talk(talks: Callable[..., Talk], file: Path) -> Talk:
    return talks(names=file)


def make(talk: Talk, name: str = "movie time") -> list[Message]:
    return talk.hear("words", made_routine(name, command("HassTurnOn", name="Ceiling")))


def reloads(messages: list[Message]) -> list[str]:
    return [message.stage for message in messages if isinstance(message, Reload)]


def test_a_new_name_is_told_at_once(talk: Talk, file: Path) -> None:
    assert reloads(make(talk)) == ["asr"]
    assert read_names(file) == NAMES


def test_what_changes_no_name_tells_nobody(talk: Talk, file: Path) -> None:
    assert reloads(talk.hear("words", command("HassTurnOn", name="Ceiling"))) == []
    assert not file.exists()
    make(talk)
    assert reloads(talk.hear("words", command("RunRoutine", name="movie time"))) == []


def test_a_name_that_is_taken_back_is_forgotten(talk: Talk, file: Path) -> None:
    make(talk)
    assert reloads(talk.hear("words", command("Undo"))) == ["asr"]
    assert read_names(file) == {}


def test_a_name_that_could_not_be_told_before_the_end_is_told_after_it(
    talk: Talk, file: Path
) -> None:
    make(talk)
    file.unlink()
    talk.restart()
    assert reloads(talk.hear("words", command("HassGetCurrentTime"))) == ["asr"]
    assert read_names(file) == NAMES
    assert reloads(talk.hear("words", command("HassGetCurrentTime"))) == []


def test_a_file_that_cannot_be_written_costs_only_that(
    talks: Callable[..., Talk], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    talk = talks(names=tmp_path / "none" / "names.json")
    with caplog.at_level(logging.WARNING):
        assert reloads(make(talk)) == []
    assert "storage.unwritable" in caplog.text
    assert talk.say("words", command("RunRoutine", name="movie time")) == "I turned on the ceiling."


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"routines": 3}'])
def test_a_file_of_another_kind_counts_as_none(file: Path, content: bytes) -> None:
    write_names(file, NAMES)
    assert read_names(file) == NAMES
    file.write_bytes(content)
    assert read_names(file) == {}


def test_a_routine_outlives_the_kill_of_its_process(tmp_path: Path) -> None:
    state = tmp_path / "killed" / "state.db"
    made = subprocess.run(
        [sys.executable, "-c", MADE_AND_KILLED, str(state)], capture_output=True, text=True
    )
    assert made.stdout.strip() == "Movie time is saved: it turns on the ceiling."
    assert made.returncode == -9
    talk = Talk(path=state, count=10)
    assert talk.say("words", command("RunRoutine", name="movie time")) == "I turned on the ceiling."
    talk.database.close()


COMMANDS = (
    *("turn on the ceiling", "turn off the ceiling", "what time is it", "add milk to my list"),
    *("set a timer for ten minutes", "cancel the timer", "turn off the desk lamp"),
)


def ear(tmp_path: Path, names: GivenNames) -> Callable[[str], Transcript]:
    """The real ear for some commands, and for what may be said with these names."""
    said = speakable_of({"routines"}, HOME, names=names)
    given = [name for slots in names.values() for told in slots.values() for name in told]
    sentences = [text for text in said.sentences if any(name in text for name in given)]
    return ear_of((*COMMANDS, *sentences), tmp_path / f"{len(given)}")


def test_a_name_that_was_given_is_heard_and_obeyed(say: Conversation, tmp_path: Path) -> None:
    say("when I say movie time, turn on the ceiling")
    hear = ear(tmp_path, NAMES)
    assert hear("movie time").text == "movie time"
    assert say.hear(hear("movie time")) == "I turned on the ceiling."
    assert hear("what time is it").text == "what time is it"


def test_without_its_name_it_is_not_heard(say: Conversation, tmp_path: Path) -> None:
    """Control."""
    say("when I say movie time, turn on the ceiling")
    assert ear(tmp_path, {})("movie time").text != "movie time"
