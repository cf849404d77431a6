"""Lists of Home Assistant: what is on them, and the calls that bring items into what is wanted.

A change names what is to be and not what to do. So it may be sent again: only what is not yet so is
called for, and it counts as done when the list itself says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import msgspec

from assistant.bridge.complaints import Complaints
from assistant.bridge.home_assistant.responses import ANSWER_S, response
from assistant.bridge.home_assistant.services import Call
from assistant.bridge.home_assistant.session import RefusedError, Session
from assistant.core.errors import UNDECODABLE
from assistant.core.home.lists import ListChange, ListedItem
from assistant.core.messages import HomeLists

DOMAIN = "todo"
OPEN, DONE = "needs_action", "completed"
"""States of an item, as Home Assistant calls them."""
LONGEST_ITEM = 255
"""Most characters of an item, and of its id."""
LARGEST_LIST_BYTES = 65_536
"""Most bytes of a list that is told; what is over it, at the end of the list, is left out."""
MOST_LISTS = 30
_MORE_BYTES = 32
"""Bytes of an item besides its text and its id."""


class _Item(msgspec.Struct):
    summary: str
    uid: str | None = None
    status: str | None = None


class _Listed(msgspec.Struct):
    items: list[msgspec.Raw] | None = None


class Lists:
    """The lists of a session; `offer` is given the items of all of them whenever any changes."""

    def __init__(self, offer: Callable[[HomeLists], object], complaints: Complaints) -> None:
        self._offer, self._complaints = offer, complaints
        self._items: dict[str, tuple[ListedItem, ...]] = {}
        self._session: Session | None = None
        self._subscribed: set[str] = set()
        self._one_by_one = asyncio.Lock()

    async def follow(self, session: Session, entity_ids: Iterable[str]) -> None:
        """Hear from now on what is on those of the entities that are lists.

        A list that Home Assistant does not tell is logged. Raises `BridgeError` as `Session.ask`.
        """
        if session is not self._session:
            self._session, self._subscribed, self._items = session, set(), {}
        named = sorted(e for e in entity_ids if e.partition(".")[0] == DOMAIN)[:MOST_LISTS]
        unheard = [list_id for list_id in named if list_id not in self._subscribed]
        for list_id in unheard:
            self._subscribed.add(list_id)
            try:
                heard = partial(self._heard, list_id)
                await session.ask("todo/item/subscribe", ANSWER_S, heard, entity_id=list_id)
            except (RefusedError, TimeoutError) as error:
                why = str(error) or "no answer"
                self._complaints.of(list_id, f"tells no items: {why} (bridge.refused)")
        if self._items and not unheard:  # else they tell of themselves
            self.tell()

    async def change(self, session: Session, list_id: str, changes: Sequence[ListChange]) -> None:
        """Bring items of a list into what is wanted, one change of a list after the other.

        Raises as `Session.ask`, and `RefusedError` where the list does not have them so afterwards.
        """
        async with self._one_by_one:
            items = await _read(session, list_id)
            wanted = list(calls(list_id, changes, items))
            for call in wanted:
                await session.ask("call_service", ANSWER_S, **call.fields())
            if wanted:
                items = await _read(session, list_id)
            self._items[list_id] = self._told_part(list_id, items)
            if any(calls(list_id, changes, items)):
                raise RefusedError("the list does not have what was asked for")

    def tell(self) -> None:
        """Offer what is on the lists, also where that is as before."""
        self._offer(HomeLists(lists=dict(self._items)))

    def _heard(self, list_id: str, content: msgspec.Raw) -> None:
        try:
            listed = msgspec.json.decode(content, type=_Listed)
        except UNDECODABLE as error:
            told = f"sends items that are none: {type(error).__name__} (bridge.payload)"
            self._complaints.of(list_id, told)
            return
        if listed.items is not None:  # None while the list is unavailable
            self._items[list_id] = self._told_part(list_id, _items(listed))
            self.tell()

    def _told_part(self, list_id: str, items: tuple[ListedItem, ...]) -> tuple[ListedItem, ...]:
        size = 0
        for number, item in enumerate(items):
            size += len(item.text.encode()) + len(item.uid.encode()) + _MORE_BYTES
            if size > LARGEST_LIST_BYTES:
                told = f"is too long; its last {len(items) - number} items are left out"
                self._complaints.of(list_id, f"{told} (bridge.full)")
                return items[:number]
        return items


def calls(
    list_id: str, changes: Sequence[ListChange], items: Iterable[ListedItem]
) -> Iterator[Call]:
    """The calls by which a list that has these items gets what is wanted, in their order."""
    by_uid = {item.uid: item for item in items if item.uid}
    claimed = {change.uid for change in changes}
    by_text = {i.text.casefold(): i for i in items if not (i.uid and i.uid in claimed)}
    for change in changes:
        there = by_uid.get(change.uid) if change.uid else by_text.get(change.text.casefold())
        if change.wanted == "gone":
            if there is not None:
                yield Call(DOMAIN, "remove_item", list_id, {"item": [there.uid or there.text]})
        elif there is None:
            if change.wanted == "open":  # what is no longer there needs no checking off
                yield Call(DOMAIN, "add_item", list_id, {"item": change.text})
        elif there.done != (change.wanted == "done"):
            status = DONE if change.wanted == "done" else OPEN
            data = {"item": there.uid or there.text, "status": status}
            yield Call(DOMAIN, "update_item", list_id, data)


async def _read(session: Session, list_id: str) -> tuple[ListedItem, ...]:
    """What is on a list; raises as `Session.ask`, and `RefusedError` for an answer without it."""
    call = Call(DOMAIN, "get_items", list_id, {"status": [OPEN, DONE]})
    return _items(await response(session, call, _Listed, "items"))


def _items(listed: _Listed) -> tuple[ListedItem, ...]:
    """The items that can be said, each id once; another version may tell one otherwise."""
    found: dict[str, ListedItem] = {}
    for number, content in enumerate(listed.items or ()):
        try:
            item = msgspec.json.decode(content, type=_Item)
        except UNDECODABLE:
            continue
        text, uid = " ".join(item.summary.split()), item.uid or ""
        sayable = text.isprintable() and 0 < len(text) <= LONGEST_ITEM
        if sayable and uid.isprintable() and len(uid) <= LONGEST_ITEM:
            found.setdefault(uid or f"\n{number}", ListedItem(uid, text, item.status == DONE))
    return tuple(found.values())
