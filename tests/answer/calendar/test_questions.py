"""Questions about days through all stages: text in, the reply out, at a fixed time."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.cli.shared.conversation import answering, temporary_config
from assistant.composition import Composition
from assistant.core.messages import Commit, Message, SpokenReply, Transcript
from assistant.pipeline import run
from skills.state import open_state

DOCUMENTS = Path(__file__).resolve().parents[3] / "examples" / "documents"
LONDON = ZoneInfo("Europe/London")
MONDAY = datetime(2027, 3, 1, 18, tzinfo=LONDON)


@pytest.fixture(scope="module")
def composition() -> Iterator[Composition]:
    """The parts as they are in London on that Monday; both tests understand with the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/London")
        time.tzset()
        yield Composition(temporary_config(None, None), now=lambda: MONDAY)
    time.tzset()


def replies(composition: Composition, documents: Path, *texts: str) -> list[str]:
    with (
        answering(composition.config, documents, lambda: MONDAY) as answers,
        closing(open_state(None)) as state,
    ):
        answer = composition.answer(answers=answers)
        stages = (composition.nlu(), composition.skills(state), answer)
        return [_reply(list(run(stages, _heard(n, text)))) for n, text in enumerate(texts)]


def _heard(number: int, text: str) -> list[Message]:
    name = f"u{number}"
    return [
        Transcript(utterance_id=name, revision=0, text=text, engine="text", at_s=1.0),
        Commit(utterance_id=name, revision=0, at_s=1.0),
    ]


def _reply(messages: list[Message]) -> str:
    return " ".join(message.text for message in messages if isinstance(message, SpokenReply))


SAID = {
    "what is on tomorrow": "Tomorrow: Dentist at 9:30 am and Choir at 7 pm.",
    "quietly tell me tomorrow's diary": "Tomorrow: Dentist at 9:30 am and Choir at 7 pm.",
    "where is the dentist": "at Dr Pell, 3 Station Road.",
    "why is it so dark already": "I don't know; I found no answer in your documents.",
    "what do I have on Friday": "On Friday: Dinner with Alice at 7:30 pm.",
    "what's in my calendar this weekend": "Nothing is in your calendar for this weekend.",
    "do I have anything on Tuesday morning": "On Tuesday morning: Dentist at 9:30 am.",
    "what's on the third of May": "Nothing is in your calendar for Monday, May 3.",
    "when is my next meeting with Alice": "Dinner with Alice is on Friday at 7:30 pm.",
    "when is choir": "The next is tomorrow at 7 pm.",
    "what is Alice's phone number": "I don't know; I found no answer in your documents.",
    "what is Agnes's phone number": "+44 1632 960014",
    "when is alice's birthday": "I don't know; I found no answer in your documents.",
    "when was bob born": "I don't know; I found no answer in your documents.",
    "when was agnes toliver born": "Agnes Tolliver's birthday is March 14, 1951.",
    "what number has the plumber": "I don't know; I found no answer in your documents.",
    "what did I note last week": "Wednesday, February 24: The boiler stood at 0.9 bar",
    "what did I write down about the boiler last week": "0.9 bar",
    "where did you get that": "From your note Boiler.",
    "who painted the ceiling of the chapel": "I don't know; I found no answer in your documents.",
}


def test_what_a_person_asks_of_the_calendar(composition: Composition) -> None:
    told = dict(zip(SAID, replies(composition, DOCUMENTS, *SAID), strict=True))
    assert {text: reply for text, reply in told.items() if SAID[text] not in reply} == {}


def test_without_a_calendar_nothing_is_found(composition: Composition, tmp_path: Path) -> None:
    shutil.copy(DOCUMENTS / "dishwasher.md", tmp_path)
    assert (
        replies(composition, tmp_path, "what is on tomorrow", "when is my next appointment")
        == ["I don't know; I found no answer in your documents."] * 2
    )
