"""YAML from anyone: values, or one error in one line."""

from __future__ import annotations

from functools import partial

import pytest

from assistant.core.yaml_text import YamlError, read_yaml, yaml_lines
from tests.support.effort import calls

LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(n + 1)}: &{chr(n + 1)} [{','.join(f'*{chr(n)}' for _ in range(9))}]\n"
    for n in range(ord("a"), ord("j"))
)
"""Nine times nine times …: 10 lines that stand for 3,900,000,000 values."""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LAUGHS, "values"),
        ("&a [*a]", "what it is in"),
        ("[" * 5_000, "deep"),
        ("- " * 5_000, "deep"),
        ("a: '\\ud800'\nb: \"\\ud800\"", "half a character"),
        ("a: 1" + "0" * 300, "digits"),
        ("a: 0x" + "f" * 5_000, "digits"),
        ("a: !!bool x", "KeyError"),
        ("a: !!int ''", "IndexError"),
        ("a: !!timestamp x", "AttributeError"),
        ("a: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("a: *b", "undefined alias"),
        ("? [a]\n: b", "unhashable"),
    ],
    ids=lambda text: text[:30],
)
def test_what_cannot_be_read_is_refused_in_one_line(text: str, told: str) -> None:
    with pytest.raises(YamlError) as caught:
        read_yaml(text)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_people_write_is_read() -> None:
    """Control; a date that is none is text, like one that is."""
    text = "base: &base {a: [on, 1.5, ~]}\nmore:\n  <<: *base\n  when: [2026-01-01, 2026-13-45]"
    base = {"a": [True, 1.5, None]}
    more = {**base, "when": ["2026-01-01", "2026-13-45"]}
    assert read_yaml(text) == {"base": base, "more": more}
    assert read_yaml("") is None


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def many(values: int) -> str:
    """So many values below their list, most of them by aliases of a thousand."""
    thousands, ones = divmod(values - 1_000, 1_000)
    thousand = f"- &t [{','.join('x' * 999)}]\n"
    return thousand + "- *t\n" * thousands + "- x\n" * ones


@pytest.mark.parametrize(
    ("limit", "beyond", "told"),
    [
        (nested(100), nested(101), "nested more than 100 deep"),
        (many(199_999), many(200_000), "more than 200000 values"),
        ("9" * 300, "9" * 301, "a number of more than 300 digits"),
    ],
    ids=["deep", "many", "long"],
)
def test_what_is_at_a_limit_is_read_and_one_more_is_not(limit: str, beyond: str, told: str) -> None:
    assert read_yaml(limit)
    with pytest.raises(YamlError, match=told):
        read_yaml(beyond)


def test_siblings_are_not_deeper_than_each_other() -> None:
    assert read_yaml("- [x]\n" * 200) == [["x"]] * 200


def test_an_alias_counts_as_what_it_stands_for_and_no_more() -> None:
    assert read_yaml(f"{many(150_000)}- &one [x]\n" + "- *one\n" * 100)


def test_a_long_text_of_digits_is_no_number() -> None:
    assert read_yaml(f"'{'9' * 1_000}'") == "9" * 1_000


def test_each_value_has_the_line_of_its_key_or_its_own() -> None:
    text = "# first\nareas:\n  - kitchen\n\n  - id: hall\n    7:\n      far below\n"
    lines = {(): 1, ("areas",): 2, ("areas", 0): 3, ("areas", 1): 5}
    assert yaml_lines(text) == {**lines, ("areas", 1, "id"): 5, ("areas", 1, "7"): 6}
    assert yaml_lines("") == {}


def test_a_key_that_is_there_twice_is_told_with_its_line() -> None:
    told = 'line 4: the key "b" is there twice'
    with pytest.raises(YamlError, match=f"^{told}$"):
        yaml_lines("a:\n  b: 1\n  c: {b: 2}\n  b: 3\n")


def test_what_nests_too_deep_is_refused_at_once() -> None:
    """The scanner would look at all that are open for each that it reads ahead."""

    def read(text: str) -> None:
        with pytest.raises(YamlError, match="nested more than 100 deep"):
            read_yaml(text)

    assert calls(partial(read, "[" * 1_000)) < 1.1 * calls(partial(read, "[" * 200))
