"""Lists that another program keeps, such as Home Assistant: their items, and what is to change."""

from __future__ import annotations

from typing import Literal

import msgspec

Wanted = Literal["open", "done", "gone"]


class ListedItem(msgspec.Struct, frozen=True):
    """An item as its list has it; `uid` is the list's own id, "" where it gives none."""

    uid: str
    text: str
    done: bool = False


class ListChange(msgspec.Struct, frozen=True):
    """What is to become of an item; without a `uid` it is the one with this text, or a new one."""

    uid: str
    text: str
    wanted: Wanted
