"""Reply in, pieces to say out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.pieces import LONGEST, pieces


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Done. Anything else?", ["Done.", "Anything else?"]),
        ("It is 3.5 degrees. Cold!", ["It is 3.5 degrees.", "Cold!"]),
        ("Dr. Smith met Mrs. Jones.", ["Dr. Smith met Mrs. Jones."]),
        ("Bring fruit, e.g. Apples. Now.", ["Bring fruit, e.g. Apples.", "Now."]),
        ("J. S. Bach wrote it. Listen.", ["J. S. Bach wrote it.", "Listen."]),
        ("No. That is off.", ["No.", "That is off."]),
        ("See No. 5 there.", ["See No. 5 there."]),
        ("Who am I? I know I. Yes.", ["Who am I?", "I know I.", "Yes."]),
        ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
        ('"Ready?" she asked.', ['"Ready?" she asked.']),
        ("It rings at 7 a.m. on Monday.", ["It rings at 7 a.m. on Monday."]),
        ("P.f. Chang's is at 5 8th Ave. Downtown.", ["P.f. Chang's is at 5 8th Ave. Downtown."]),
        ("Wait... what? Really?!", ["Wait... what?", "Really?!"]),
        ("milk\neggs\n\nbread", ["milk", "eggs", "bread"]),
        ("... !!! 😀", []),
        ("", []),
    ],
)
def test_a_reply_is_split_where_a_speaker_would_stop(reply: str, expected: list[str]) -> None:
    assert pieces(reply) == expected


def test_a_long_sentence_is_split_at_its_pauses() -> None:
    clause = "the lamp in the kitchen is on"
    parts = pieces(", ".join([clause] * 12) + ".")
    assert len(parts) > 1
    assert all(len(part) <= LONGEST for part in parts)
    assert all(part.endswith((",", ".")) for part in parts)


@given(st.text(alphabet=st.sampled_from("ab A.,;!? \n1-"), max_size=700))
def test_no_word_is_lost_and_no_sentence_is_too_long(text: str) -> None:
    parts = pieces(text)
    assert [w for p in parts for w in _words(p)] == _words(text)
    assert all(len(part) <= LONGEST for part in parts)


def _words(text: str) -> list[str]:
    # A word longer than a sentence may be is cut, so letters are compared.
    return [c for c in text if c.isalnum()]
