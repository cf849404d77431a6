"""Reading tests.yaml: what is wrong in it is told in one line, with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import UNSET

from assistant.core.errors import InputError
from assistant.skill_development.cases import load_tests

WHOLE = """\
- say: try it two times
  intent: Try
  slots: {times: 2}
  reply: [it, two]
  within_ms: 50

- conversation:
    - say: try it
      asks: How many times?
    - say: three
      intent: null
      absent: five
"""


def written(folder: Path, text: str) -> Path:
    (folder / "tests.yaml").write_text(text)
    return folder


def test_turns_and_conversations_are_read_with_their_lines(tmp_path: Path) -> None:
    tests = load_tests(written(tmp_path, WHOLE))
    (alone,), (first, second) = tests.conversations
    assert (alone.say, alone.expected.intent, alone.expected.slots) == (
        "try it two times",
        "Try",
        {"times": 2},
    )
    assert (alone.expected.reply, alone.expected.within_ms) == (("it", "two"), 50)
    assert (first.expected.asks, first.expected.intent) == ("How many times?", UNSET)
    assert (second.expected.intent, second.expected.absent) == (None, "five")
    assert alone.lines == {"say": 1, "intent": 2, "slots": 3, "reply": 4, "within_ms": 5}
    assert second.lines == {"say": 10, "intent": 11, "absent": 12}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- say: hello\n  repyl: hi\n", 'line 2: unknown key "repyl"; did you mean "reply"?'),
        ("- conversations: []\n", 'line 1: unknown key "conversations"; did you mean "conv'),
        ("- conversation:\n    - say: hello\n      conversation: []\n", "line 3: unknown key"),
        ("- conversation: []\n", "line 1: a conversation is a list of turns"),
        ("- hello\n", "line 1: a test says something"),
        ("- say: hello\n- reply: hi\n", "line 2: a test needs `say`"),
        ("- say: no\n", "line 1: say: needs words; put yes, no"),
        ("- say: hello\n  reply: on\n", "line 2: reply: Expected"),
        ("- say: hello\n  slots:\n    times: [2]\n", "line 2: slots"),
        ("- say: hello\n  within_ms: soon\n", "line 2: within_ms: Expected `float`"),
        ("- say: hello\n  reply: a\n  reply: b\n", 'line 3: the key "reply" is there twice'),
        ("- say: [hello\n", "expected ',' or ']'"),
        ("tests: []\n", "holds no list of tests"),
        ("", "holds no list of tests"),
        ("\ud800".encode("utf-16", "surrogatepass").decode("latin-1"), "tests.yaml"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        load_tests(written(tmp_path, text))
    assert words in refused.value.message
    assert refused.value.message.startswith(str(tmp_path / "tests.yaml"))
    assert "\n" not in refused.value.message


def test_a_folder_without_tests_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load_tests(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        load_tests(tmp_path / "none")
