"""Contacts (vCard 2.1 to 4): each person in sentences that answer the usual questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from vobject import base
from vobject.base import Component, ContentLine, VObjectError, readComponents

from assistant.answer.ingest.formats.text import decoded
from assistant.answer.ingest.formats.wording import clean, title_of
from assistant.answer.knowledge.passages import Document, Section
from assistant.core.errors import AnswerError
from assistant.english.dates import full_date, month_and_day
from assistant.english.spoken import possessive

_KINDS = {"cell": "mobile", "home": "home", "work": "work", "fax": "fax", "pager": "pager"}
_ADDRESS = ("extended", "box", "street", "code", "city", "region", "country")
_NAME, _PARAMETER = "[a-zA-Z0-9_-]+", '(?:"[^"]*"|[^";:,]*)'
# The package's own pattern of a line takes minutes for a few "=" in a row, as it reads them in
# any number of ways; this one reads the same lines in one.
base.line_re = re.compile(
    rf"^((?P<group>{_NAME})\.)?(?P<name>{_NAME})"
    rf"(?P<params>;?(?:;{_NAME}(?:={_PARAMETER})?(?:,{_PARAMETER})*)*):(?P<value>.*)$",
    re.DOTALL,
)
_FAULTS = (VObjectError, ValueError, AssertionError, TypeError, LookupError, RecursionError)
"""What the package raises for what is no card, the last for hundreds of cards in one another."""
_BIRTHDAY = re.compile(r"(\d{4}|--)-?(\d\d)-?(\d\d)")


def parse(name: str, content: bytes) -> Document:
    """The contacts in `content`, one section each.

    Raises `AnswerError` when `content` is no vCard.
    """
    sections: list[Section] = []
    try:
        for card in readComponents(decoded(name, content), ignoreUnreadable=True):
            sections.extend(_section(card))
    except _FAULTS as error:
        raise AnswerError(
            "answer.unreadable", f"{name} holds no contacts that can be read"
        ) from error
    return Document(title=title_of(name), kind="contact", sections=tuple(sections))


def _section(card: Component) -> Iterator[Section]:
    who = _name(card)
    if card.name == "VCARD" and who:
        lines = [clean(line) for line in _lines(card, possessive(who), who)]
        yield Section(text="\n".join(lines or [f"{who} is a contact."]), place=who, people=(who,))


def _lines(card: Component, whose: str, who: str) -> Iterator[str]:
    for line in _all(card, "tel"):
        yield f"{whose} {_kind(line, 'phone number')} is {_value(line)}."
    for line in _all(card, "email"):
        yield f"{whose} {_kind(line, 'e-mail address')} is {_value(line)}."
    for line in _all(card, "adr"):
        if address := _address(line.value):
            yield f"{whose} {_kind(line, 'address')} is {address}."
    for line in _all(card, "bday"):
        yield f"{whose} birthday is {_birthday(_value(line))}."
    for line in _all(card, "org"):
        parts = line.value if isinstance(line.value, list) else [line.value]
        yield f"{who} works for {', '.join(filter(None, map(clean, map(_flat, parts))))}."
    for line in (*_all(card, "title"), *_all(card, "role")):
        yield f"{whose} position is {_value(line)}."
    for line in _all(card, "nickname"):
        yield f"{who} is also called {_value(line)}."
    for line in _all(card, "url"):
        yield f"{whose} website is {_value(line)}."
    for line in _all(card, "note"):
        yield from str(line.value).splitlines()


def _all(card: Component, name: str) -> list[ContentLine]:
    return [line for line in card.contents.get(name, []) if _value(line).strip(", ")]


def _value(line: ContentLine) -> str:
    value = line.value
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return clean(str(value)).removeprefix("tel:").removeprefix("mailto:").rstrip(".")


def _name(card: Component) -> str:
    for line in card.contents.get("fn", []):
        if found := _value(line):
            return found
    for line in card.contents.get("n", []):
        parts = (getattr(line.value, part, "") for part in ("given", "additional", "family"))
        if found := clean(" ".join(map(_flat, parts))):
            return found
    return next((_value(line) for line in _all(card, "org")), "")


def _kind(line: ContentLine, what: str) -> str:
    types = [kind.casefold() for value in line.params.get("TYPE", []) for kind in value.split(",")]
    types += [single.casefold() for single in line.singletonparams]  # vCard 2.1: TEL;CELL:…
    return " ".join([*(said for kind, said in _KINDS.items() if kind in types), what])


def _address(value: Any) -> str:
    parts = (clean(_flat(getattr(value, part, ""))) for part in _ADDRESS)
    return ", ".join(part for part in parts if part) or clean(str(value)).strip(", ")


def _flat(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _birthday(value: str) -> str:
    found = _BIRTHDAY.match(value)
    if found is None:
        return value
    year = 2000 if found[1] == "--" else int(found[1])
    try:
        day = date(year, int(found[2]), int(found[3]))
    except ValueError:
        return value
    return month_and_day(day) if found[1] == "--" else full_date(day)
