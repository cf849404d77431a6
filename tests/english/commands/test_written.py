"""What is written shorter than it is said, in the words that it is said in."""

from __future__ import annotations

import pytest

from nlu.text.canonical import canonical


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("set an alarm for 730", "set an alarm for 7 30"),
        ("set an alarm for 1830 on monday", "set an alarm for 18 30 on monday"),
        ("wake me at 6.45", "wake me at 6 45"),
        ("wake me at 630 am", "wake me at 6 30 am"),
        ("alarm 7.30am", "alarm 7 30 am"),
        ("set a timer for 1h 30m", "set a timer for 1 hours 30 minutes"),
        ("set a timer for 1h30m", "set a timer for 1 hours 30 minutes"),
        ("a timer for 2m 30s", "a timer for 2 minutes 30 seconds"),
        ("set a timer for 90s", "set a timer for 90 seconds"),
        ("in 2h", "in 2 hours"),
        ("remind me on 3 dec", "remind me on 3 december"),
        ("remind me on sept 3rd", "remind me on september 3rd"),
        ("remind me on 3/12", "remind me on 3 december"),
        ("remind me on 12/25", "remind me on 25 december"),
        ("set a timer for ½ hour", "set a timer for a half hour"),
        ("set a timer for 1½ hours", "set a timer for 1 and a half hours"),
        ("remind me @ 5pm", "remind me at 5 pm"),
    ],
)
def test_it_is_read_as_it_is_said(written: str, said: str) -> None:
    assert canonical(written).text == canonical(said).text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("set volume at 100", "set volume at 100"),
        ("split it for 730 dollars", "split it for 730 dollars"),
        ("set it to 21.5 degrees", "set it to 21 point 5 degrees"),
        ("play 90s music", "play 90 s music"),
        ("a 5m rope", "a 5 m rope"),
        ("jan needs milk", "jan needs milk"),
        ("what is 12 / 4", "what is 12 4"),
        ("on 30/31", "on 30 31"),
    ],
)
def test_a_number_of_something_else_stays(text: str, words: str) -> None:
    assert canonical(text).text == words


def test_free_text_keeps_the_signs_of_money() -> None:
    said = canonical("add £3.50 stamps to the list")
    assert said.text == "add 3 point 50 stamps to list"
    assert said.spoken(4, 21) == "£3.50 stamps"
