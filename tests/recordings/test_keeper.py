"""What is kept of the events of an utterance, and what is not."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import msgspec
import pytest

from assistant.control.recollection import Recollection
from assistant.core.errors import ControlError
from assistant.core.layout import MARK_WRONG
from assistant.core.messages import (
    Asked,
    Command,
    Commit,
    Interpretation,
    KeepSound,
    Message,
    Question,
    SpokenReply,
    Transcript,
    Utterance,
)
from assistant.recordings.folder import Recordings, recorded
from assistant.recordings.keeper import RecordingKeeper
from tests.support.utterances import utterance

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
LAMP_ON = Command(intent="HassTurnOn")


def said(
    of: str = "u",
    text: str = "lamp on",
    *commands: Command,
    wake_word: str = "computer",
    unasked: bool = False,
) -> list[Message]:
    """The events of one utterance; the commitment comes before what it means, as it may."""
    return [
        utterance(of, wake_word=wake_word, unasked=unasked, at_s=9.2),
        Transcript(utterance_id=of, revision=0, text=text, engine="pocketsphinx", at_s=9.3),
        Commit(utterance_id=of, revision=0, at_s=9.4),
        Interpretation(utterance_id=of, revision=0, text=text, commands=commands, at_s=9.5),
        SpokenReply(utterance_id=of, text="Okay.", at_s=10.2),
    ]


class Keeping:
    """A keeper, and the ids of the sounds that it has asked for."""

    def __init__(self, folder: Path) -> None:
        self.recordings = Recordings(folder)
        self.recollection = Recollection()
        self.keeper = RecordingKeeper(self.recordings, self.recollection, lambda: NOON)
        self.sounds: list[str] = []

    def observe(self, *messages: Message) -> None:
        for message in messages:
            self.recollection.observe(message)
            for asked in self.keeper.observe(message):
                assert isinstance(asked, KeepSound)
                self.sounds.append(asked.utterance_id)
                self.recordings.keep_sound(asked.utterance_id, bytes(320))


@pytest.fixture
def keeping(tmp_path: Path) -> Keeping:
    keeping = Keeping(tmp_path)
    keeping.recordings.agree()
    return keeping


def test_what_was_acted_on_is_kept_once(keeping: Keeping) -> None:
    keeping.observe(*said("u", "lamp on", LAMP_ON))
    assert keeping.sounds == ["u"]
    ((_, trace),) = recorded(keeping.recordings.folder)
    assert (trace.heard, trace.commands, trace.replies) == ("lamp on", (LAMP_ON,), ("Okay.",))
    assert (NOON - trace.said_at).total_seconds() == pytest.approx(1.0)


@pytest.mark.parametrize("order", list(permutations(range(5))))
def test_events_of_several_processes_may_come_in_any_order(
    keeping: Keeping, order: tuple[int, ...]
) -> None:
    events = said("u", "lamp on", LAMP_ON)
    keeping.observe(*(events[at] for at in order))
    ((_, trace),) = recorded(keeping.recordings.folder)
    assert (trace.heard, trace.commands, trace.replies) == ("lamp on", (LAMP_ON,), ("Okay.",))
    events = said("v", "that was wrong", Command(intent=MARK_WRONG))
    keeping.observe(*(events[at] for at in order))
    ((_, trace),) = recorded(keeping.recordings.folder)
    assert trace.wrong


def test_without_consent_nothing_is_kept(keeping: Keeping) -> None:
    keeping.recordings.withdraw()
    keeping.observe(*said("u", "lamp on", LAMP_ON))
    assert keeping.sounds == []
    assert recorded(keeping.recordings.folder) == []


@pytest.mark.parametrize(
    ("events", "kept"),
    [
        (said(text="she is at the door", unasked=True, wake_word=""), False),
        (said("u", "and the fan", LAMP_ON, unasked=True, wake_word=""), True),
        (said(text=""), False),
        (said(text="what is the wifi password"), True),
        (said("u", "lamp on", LAMP_ON)[:2], False),
    ],
)
def test_talk_of_others_is_not_kept(keeping: Keeping, events: list[Message], kept: bool) -> None:
    keeping.observe(*events)
    assert bool(keeping.sounds) is kept


def test_a_question_to_the_documents_is_kept_with_its_answer(keeping: Keeping) -> None:
    *begun, _ = said(text="what is the wifi password")
    keeping.observe(*begun, Question(utterance_id="u", text="what is the wifi password"))
    keeping.observe(SpokenReply(utterance_id="u", text="It is swordfish."))
    ((_, trace),) = recorded(keeping.recordings.folder)
    assert (trace.question, trace.replies) == ("what is the wifi password", ("It is swordfish.",))


def test_an_answer_is_kept_with_those_that_were_likely(keeping: Keeping) -> None:
    keeping.observe(*said("u", "unlock it", LAMP_ON))
    keeping.observe(Asked(utterance_id="u", answers=("yes", "no")))
    keeping.observe(*said("v", "yes", wake_word=""))
    keeping.observe(*said("w", "lamp on", LAMP_ON))
    kept = [trace.answers for _, trace in recorded(keeping.recordings.folder)]
    assert sorted(kept) == [(), (), ("no", "yes")] or sorted(kept) == [(), (), ("yes", "no")]


def test_that_was_wrong_marks_the_one_before_and_is_not_kept_itself(keeping: Keeping) -> None:
    keeping.observe(*said("u", "lamp on", LAMP_ON))
    marking = said("v", "that was wrong", Command(intent=MARK_WRONG))
    keeping.observe(*marking)
    ((_, trace),) = recorded(keeping.recordings.folder)
    assert (trace.id, trace.wrong) == ("u", True)
    assert keeping.sounds == ["u"]


def test_a_caller_turns_it_on_and_off_and_marks(keeping: Keeping) -> None:
    assert keeping.keeper.answer().on
    keeping.observe(*said("u", "lamp on", LAMP_ON))
    assert keeping.keeper.answer("wrong", "", "lamp off").utterances == 1
    trace = keeping.recordings.trace("u")
    assert trace is not None
    assert (trace.wrong, trace.expect) == (True, "lamp off")
    assert not keeping.keeper.answer("off").on
    assert keeping.keeper.answer("remove").utterances == 0
    assert keeping.keeper.answer("on").on


def test_what_is_put_right_becomes_an_example_that_can_be_forgotten(keeping: Keeping) -> None:
    keeping.observe(*said("u", "let there be light"))
    keeping.observe(*said("v", "no lamp on", LAMP_ON))
    (example,) = keeping.keeper.answer().examples
    assert (example.id, example.heard, example.meant) == ("u", "let there be light", "HassTurnOn()")
    assert keeping.keeper.answer("forget", "u").examples == ()


def test_what_was_said_really_becomes_an_example(keeping: Keeping) -> None:
    keeping.observe(*said("u", "let there be light"))
    (example,) = keeping.keeper.answer("wrong", "", "lamp on").examples
    assert (example.heard, example.meant) == ("let there be light", "lamp on")
    assert keeping.keeper.answer("remove").examples == ()


def test_without_consent_nothing_is_learnt(keeping: Keeping) -> None:
    keeping.observe(*said("u", "let there be light"))
    keeping.recordings.withdraw()
    keeping.observe(*said("v", "no lamp on", LAMP_ON))
    assert keeping.keeper.answer("wrong", "u", "lamp on").examples == ()


def test_an_example_is_lost_on_a_full_disk_and_nothing_else(
    keeping: Keeping, caplog: pytest.LogCaptureFixture
) -> None:
    (keeping.recordings.folder / "examples").mkdir()
    keeping.observe(*said("u", "let there be light"))
    keeping.observe(*said("v", "no lamp on", LAMP_ON))
    assert len(recorded(keeping.recordings.folder)) == 2
    assert "recordings.unwritable" in caplog.text


@pytest.mark.parametrize(
    ("action", "name"), [("wrong", ""), ("wrong", "../x"), ("burn", ""), ("forget", "")]
)
def test_what_cannot_be_done_is_refused(keeping: Keeping, action: str, name: str) -> None:
    with pytest.raises(ControlError):
        keeping.keeper.answer(action, name)


def test_a_trace_survives_the_disk(keeping: Keeping) -> None:
    keeping.observe(*said("u", "lamp on", LAMP_ON))
    ((_, trace),) = recorded(keeping.recordings.folder)
    assert msgspec.json.decode(msgspec.json.encode(trace), type=type(trace)) == trace


def test_a_secret_is_not_kept(keeping: Keeping) -> None:
    asked = said("u", "unlock the door", LAMP_ON)
    keeping.observe(*asked[:-1], SpokenReply(utterance_id="u", text="What is it?", secret=True))
    keeping.observe(*(msgspec.structs.replace(m, **_secret(m)) for m in said("v", "…")))
    assert keeping.sounds == ["u"]
    assert [trace.id for _, trace in recorded(keeping.recordings.folder)] == ["u"]


def _secret(message: Message) -> dict[str, bool]:
    heard = isinstance(message, Utterance | Transcript | Interpretation)
    return {"secret": True} if heard else {}
