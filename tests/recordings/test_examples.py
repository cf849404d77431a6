"""What is put right becomes an example: once, for this user alone, and until it is removed."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from assistant.core.errors import StorageError
from assistant.core.messages import Command, Slot
from assistant.recordings.examples import MOST, Examples, put_right, told
from assistant.recordings.trace import Trace
from nlu.classifier.corrections import Correction, Use, write_uses
from tests.support.utterances import utterance

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
LIGHTS = Command(intent="HassTurnOn", slots=(Slot(name="domain", value="light", raw=""),))
GUESS = Command(intent="HassMediaPause", confidence=0.6)


def trace(name: str, heard: str, *commands: Command, after_s: float = 0) -> Trace:
    said_at = NOON + timedelta(seconds=after_s)
    return Trace(said_at=said_at, utterance=utterance(name), heard=heard, commands=commands)


INSTEAD = msgspec.structs.replace(LIGHTS, instead=True, confidence=0.9)
MEANT = trace("b", "i meant turn on the lights", INSTEAD, after_s=8)


@pytest.fixture
def examples(tmp_path: Path) -> Examples:
    return Examples(tmp_path / "examples", tmp_path / "cache")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (trace("a", "let there be light"), MEANT),
        (trace("a", "let there be light", GUESS), MEANT),
        (trace("a", "let there be light"), trace("b", "no turn on the lights", LIGHTS)),
    ],
)
def test_what_was_missed_or_guessed_and_then_put_right_is_an_example(
    before: Trace, after: Trace
) -> None:
    meant = after.commands[0]
    assert put_right(before, after) == Correction(id="a", heard=before.heard, command=meant)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (trace("a", "let there be light"), trace("b", "turn on the lights", LIGHTS)),
        (trace("a", "pause it", Command(intent="HassMediaPause")), MEANT),
        (trace("a", "light it up", msgspec.structs.replace(LIGHTS, confidence=0.6)), MEANT),
        (trace("a", ""), MEANT),
        (trace("a", "let there be light", after_s=-90), MEANT),
        (trace("a", "let there be light"), trace("b", "no turn it on", GUESS)),
        (trace("a", "let there be light"), trace("b", "no")),
        (trace("a", "let there be light"), trace("b", "no lights, and stop", INSTEAD, GUESS)),
    ],
)
def test_what_corrects_nothing_or_is_not_sure_is_none(before: Trace, after: Trace) -> None:
    assert put_right(before, after) is None


def test_what_the_user_tells_is_an_example_where_it_was_heard_otherwise() -> None:
    missed = msgspec.structs.replace(trace("a", "let there be light"), expect="turn on the lights")
    assert told(missed) == Correction(id="a", heard=missed.heard, expect=missed.expect)
    assert told(msgspec.structs.replace(missed, heard="Turn on the lights.")) is None
    assert told(trace("a", "let there be light")) is None


def test_examples_are_for_this_user_alone_and_the_oldest_go_first(examples: Examples) -> None:
    assert examples.all() == []
    for number in range(MOST + 2):
        examples.add(Correction(id=f"{number}", heard="let there be light", command=LIGHTS))
    examples.add(Correction(id="5", heard="let there be light", expect="lights on"))
    kept = examples.all()
    assert (kept[0].id, kept[-1].expect) == ("2", "lights on")
    assert len(kept) == MOST
    assert stat.S_IMODE(examples._file.stat().st_mode) == 0o600


def test_an_example_is_listed_with_its_use_and_removed(examples: Examples, tmp_path: Path) -> None:
    first = Correction(id="a", heard="let there be light", command=LIGHTS)
    second = Correction(id="b", heard="open up", expect="unlock the front door")
    examples.add(first)
    examples.add(second)
    write_uses(tmp_path / "cache", "base", {second.key: Use.GUARDED})
    listed = [(one.heard, one.meant, one.use) for one in examples.described()]
    assert listed == [
        ("let there be light", "HassTurnOn(domain = light)", "at the next start"),
        ("open up", "unlock the front door", Use.GUARDED.value),
    ]
    assert examples.remove("a")
    assert not examples.remove("a")
    assert examples.all() == [second]
    examples.clear()
    assert examples.all() == []


@pytest.mark.parametrize("content", [b"{}", b"\xff", b" " * (2 << 20)])
def test_a_damaged_file_is_told_of_and_holds_nothing(
    examples: Examples, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    examples._file.write_bytes(content)
    assert examples.all() == []
    assert "recordings.examples" in caplog.text


def test_an_example_that_cannot_be_kept_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nowhere"):
        Examples(tmp_path / "nowhere" / "examples", tmp_path).add(Correction(id="a", heard="x"))
