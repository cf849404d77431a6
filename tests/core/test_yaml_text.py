"""YAML from anyone: values, or one error in one line."""

from __future__ import annotations

import pytest

from assistant.core.yaml_text import DEEPEST, LONGEST_NUMBER, MOST_VALUES, YamlError, read_yaml

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
        ("a: 1" + "0" * LONGEST_NUMBER, "digits"),
        ("a: 0x" + "f" * 5_000, "digits"),
        ("a: !!bool x", "KeyError"),
        ("a: !!int ''", "IndexError"),
        ("a: !!timestamp x", "AttributeError"),
        ("a: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("a: *b", "undefined alias"),
        ("? [a]\n: b", "unhashable"),
        ("- x\n" * (MOST_VALUES + 1), "values"),
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
    deep = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
    assert isinstance(read_yaml(deep), list)
    assert read_yaml("") is None
