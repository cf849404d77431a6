"""The user's own sentences: taken as Home Assistant documents them, or refused by file and line."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from assistant.core.errors import InputError
from assistant.core.messages import SlotValue
from nlu.grammar.custom_sentences import load_vocabulary
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import built_in
from tests.nlu.grammar.test_vocabulary import HOME, LAMPS

OWN = """
language: "en"
intents:
  SetAlarmMode:
    data:
      - sentences:
          - "(arm|set) [the] alarm to {alarm_mode} [<promptly>]"
          - "<secure> the (house|{level:floor_number} floor)"
        slots: {source: voice, code: 7}
        expansion_rules: {secure: "(secure|guard)"}
  Warm:
    data:
      - sentences: ["warm {name} to {degrees}"]
        requires_context: {domain: [climate, light]}
      - sentences: ["warm up <here>"]
        requires_context: {area: {slot: preferred_area}}
      - sentences: ["warm the hut"]
        requires_context: {area: Kitchen}
  HassTurnOn:
    data:
      - sentences: ["let there be light in <area>", "turn on the lights"]
        slots: {domain: light, by: me}
  Say:
    data:
      - sentences: ["note [that] {note}"]
        required_keywords: [note]
lists:
  alarm_mode:
    values: ["armed", {in: "[fully] away", out: armed_away}]
  level: {range: {from: -2, to: 9}}
  degrees: {range: {from: 5, to: 30, fractions: tenths}}
  note: {wildcard: true}
expansion_rules:
  promptly: "(now|at once)"
skip_words: [my friend]
responses: {intents: {}}
"""


def folder(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        file = tmp_path / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_suffix(".yaml").write_text(text)
    return tmp_path


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    vocabulary = load_vocabulary(folder(tmp_path_factory.mktemp("custom"), en__house=OWN))
    return Templates.compile((LAMPS,), HOME, vocabulary)


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        (
            "set the alarm to fully away at once",
            "SetAlarmMode",
            {"alarm_mode": "armed_away", "source": "voice", "code": 7},
        ),
        (
            "guard the minus two floor",
            "SetAlarmMode",
            {"floor_number": -2, "source": "voice", "code": 7},
        ),
        ("warm the ceiling light to 20.5", "Warm", {"name": "Ceiling Light", "degrees": 20.5}),
        ("warm up this room", "Warm", {"preferred_area": "Living Room"}),
        ("note that my friend has eggs", "Say", {"note": "my friend has eggs"}),
        ("arm my friend the alarm to armed", "SetAlarmMode", {"alarm_mode": "armed"}),
        ("let there be light in my kitchen", "HassTurnOn", {"area": "Kitchen", "by": "me"}),
        ("turn on the lights", "HassTurnOn", {"by": "me"}),
    ],
)
def test_own_sentences(
    templates: Templates, text: str, intent: str, slots: dict[str, SlotValue]
) -> None:
    there = templates.in_area("living")
    (match, *_) = there.match(text)
    found = there.slots(match, datetime(2026, 11, 20, 19).astimezone())
    assert match.intent == intent
    assert {slot.name: slot.value for slot in found or ()}.items() >= slots.items()


def test_what_its_context_forbids_is_no_match(templates: Templates) -> None:
    assert templates.match("warm rover to 20") == ()
    assert templates.in_area("living").match("warm the hut") == ()
    assert templates.in_area("kitchen").match("warm the hut") != ()
    assert templates.match("guard the 10 floor") == ()


def test_the_package_stays_as_it_is(tmp_path: Path) -> None:
    own = 'language: en\nintents: {}\nexpansion_rules: {name: "the {name}"}'
    vocabulary = load_vocabulary(folder(tmp_path, rules=own))
    assert vocabulary.blocks == built_in().blocks
    assert load_vocabulary(None) is built_in()


def one(sentence: str) -> str:
    return f"intents: {{Warm: {{data: [{{sentences: ['{sentence}']}}]}}}}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (one("warm <nmae>"), ["intent Warm", "'warm <nmae>'", "no rule 'nmae'", "'name'"]),
        (one("warm {temprature}"), ["'warm {temprature}'", "no list", "'temperature'"]),
        (one("warm [the"), ["intent Warm", "warm [the"]),
        ("intents: {Warm: {data: [{slots: {}}]}}", ["intent Warm, block 1", "sentences"]),
        ("intents: {Warm: {data: [{sentences: hot}]}}", ["intent Warm, block 1"]),
        ("intents: [Warm]", ["intents"]),
        ("lists: {level: {values: 3}}", ["list level"]),
        (
            "intents: {A: {data: [{sentences: ['{x} now']}]}}\n"
            "lists: {x: {values: ['a {y}']}, y: {values: ['b {x}']}}",
            ["intent A", "'{x} now'", "no end to list 'x'"],
        ),
        ('intents: {A: {data: [{sentences: ["a <\\n<"]}]}}', ["intent A", "<\\n<"]),
        ("lists: {level: {range: {from: 9, to: 1}}}", ["list level", "range is empty"]),
        ("lists: {level: {wild: true}}", ["list level", "wildcard"]),
        ("language: de\nintents: {}", ['"de"', "only English"]),
        ("intents: {Warm: [", ["line"]),
        ("- no mapping", ["object"]),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as fault:
        load_vocabulary(folder(tmp_path, house=text))
    message = fault.value.message
    assert "\n" not in message
    assert [w for w in (str(tmp_path / "house.yaml"), *words) if w not in message] == [], message


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        load_vocabulary(tmp_path / "none")
