"""What is told of the last utterances: what was believed, what was done, and what was slow."""

from __future__ import annotations

import msgspec
import pytest

from assistant.control.metrics import BUDGET_S, STAGES
from assistant.control.recollection import KEPT, Account, Recollection
from assistant.core.errors import ControlError
from assistant.core.messages import (
    Choice,
    Command,
    Commit,
    Interpretation,
    Message,
    OpenQuestion,
    PlaybackStarted,
    Question,
    Slot,
    SpokenReply,
    StageFailed,
    Transcript,
    Word,
)
from tests.support.utterances import utterance

LAMP = Slot(name="name", value="Lamp", raw="lamp")
LAMP_ON = Command(intent="HassTurnOn", slots=(LAMP,), confidence=0.9)


def transcript(text: str, revision: int = 0) -> Transcript:
    words = tuple(Word(text=w, start_s=0.0, end_s=1.0, confidence=0.8) for w in text.split())
    return Transcript(
        at_s=10.6,
        utterance_id="u",
        revision=revision,
        text=text,
        words=words,
        alternatives=("lamb on",),
        engine="pocketsphinx",
    )


def meant(revision: int = 0, *commands: Command) -> Interpretation:
    return Interpretation(
        at_s=10.62, utterance_id="u", revision=revision, text="lamp on", commands=commands
    )


def told_of(*events: Message) -> Account:
    recollection = Recollection(clock=lambda: 20.0)
    for event in events:
        recollection.observe(event)
    (account,) = recollection.told("1").accounts
    return account


def test_each_stage_tells_what_it_believed() -> None:
    account = told_of(
        utterance(at_s=10.5),
        transcript("lamp on"),
        meant(0, LAMP_ON),
        Commit(at_s=10.63, utterance_id="u", revision=0),
        SpokenReply(at_s=10.65, utterance_id="u", text="I turned on the lamp."),
        PlaybackStarted(at_s=11.65, utterance_id="u"),
    )
    assert (account.ago_s, account.heard, account.engine) == (9.5, "lamp on", "pocketsphinx")
    assert [word.confidence for word in account.words] == [0.8, 0.8]
    assert account.alternatives == ("lamb on",)
    assert account.understood == ("HassTurnOn(name=Lamp) 0.90",)
    assert account.replies == ("I turned on the lamp.",)
    late = {row.stage: row.ms > row.budget_ms for row in account.times}
    assert [stage for stage, so in late.items() if so] == ["voice", "total"]
    assert BUDGET_S.keys() == set(STAGES)


def test_the_revision_that_was_acted_on_counts() -> None:
    account = told_of(
        utterance(at_s=10.5),
        transcript("lamp"),
        meant(),
        transcript("lamp on", revision=1),
        meant(1, LAMP_ON),
        Commit(at_s=10.7, utterance_id="u", revision=0),
    )
    assert (account.heard, account.understood) == ("lamp", ())


def test_what_was_not_understood_and_what_failed_is_told() -> None:
    doubt = Interpretation(
        at_s=10.62,
        utterance_id="u",
        revision=0,
        text="lamp on",
        choices=(Choice(sentence="turn on the lamp", command=LAMP_ON),),
        unclaimed=OpenQuestion(nearest="lamp off"),
    )
    account = told_of(
        utterance(at_s=10.5),
        transcript("lamp on"),
        doubt,
        Question(at_s=10.7, utterance_id="u", text="lamp on"),
        StageFailed(at_s=10.8, utterance_id="u", stage="answer", code="answer.late", message="no"),
    )
    assert account.choices == ("HassTurnOn(name=Lamp) 0.90",)
    assert (account.nearest, account.asked) == ("lamp off", "lamp on")
    assert account.faults == ("answer: no (answer.late)",)
    assert account.times == ()


def test_only_the_last_utterances_are_kept_and_nothing_that_nobody_said() -> None:
    recollection = Recollection(keep=2, clock=lambda: 20.0)
    recollection.observe(SpokenReply(utterance_id="alarm", text="Your timer is over."))
    for number in range(3):
        recollection.observe(utterance(f"u{number}", at_s=10.0 + number))
    assert [account.ago_s for account in recollection.told(str(KEPT)).accounts] == [8.0, 9.0]


def test_what_comes_before_the_utterance_itself_counts_and_what_nobody_said_is_forgotten() -> None:
    recollection = Recollection(clock=lambda: 20.0)
    recollection.observe(transcript("lamp on"))
    for number in range(3):
        recollection.observe(SpokenReply(utterance_id=f"alarm{number}", text="It is over."))
    recollection.observe(utterance(at_s=10.5))
    (account,) = recollection.told("1").accounts
    assert account.heard == "lamp on"
    for number in range(40):
        recollection.observe(SpokenReply(utterance_id=f"timer{number}", text="It is over."))
    recollection.observe(utterance("timer0", at_s=11.0))
    (account,) = recollection.told("1").accounts
    assert account.replies == ()


def test_a_noise_without_the_wake_word_is_no_utterance() -> None:
    recollection = Recollection(clock=lambda: 20.0)
    recollection.observe(utterance(at_s=10.5))
    recollection.observe(transcript("lamp on"))
    recollection.observe(msgspec.structs.replace(utterance("noise", at_s=12.0), unasked=True))
    silent = msgspec.structs.replace(transcript(""), utterance_id="noise", unasked=True)
    recollection.observe(silent)
    (account,) = recollection.told("1").accounts
    assert account.heard == "lamp on"
    words = msgspec.structs.replace(silent, text="and the fan", revision=1)
    recollection.observe(words)
    (account,) = recollection.told("1").accounts
    assert account.heard == "and the fan"


def test_one_utterance_takes_no_more_than_its_share() -> None:
    recollection = Recollection(clock=lambda: 20.0)
    recollection.observe(utterance(at_s=10.5))
    for revision in range(1000):
        recollection.observe(transcript(f"lamp {revision}", revision))
    (account,) = recollection.told().accounts
    assert account.heard == "lamp 62"


@pytest.mark.parametrize("count", ["0", "-1", "21", "all", "", "1.5", "９９９", "9" * 5_000])
def test_a_count_that_is_none_is_refused(count: str) -> None:
    with pytest.raises(ControlError, match="from 1 to 20"):
        Recollection().told(count)
