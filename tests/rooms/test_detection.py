"""What a satellite of Hark tells of a wake word is read again; other contexts mean nothing."""

from __future__ import annotations

from typing import Any

import pytest
from wyoming.wake import Detection

from assistant.rooms.detection import KEY, Noticed
from assistant.rooms.wire import MALFORMED
from audio.clearness import Heard


def test_what_is_told_is_read_again() -> None:
    noticed = Noticed(
        preroll_s=1.5, keyword_ended_s=0.45, heard=Heard(clearness_db=12.5, imprint=b"ab")
    )
    event = Detection(name="computer", context=noticed.context()).event()
    assert Noticed.of(Detection.from_event(event).context) == noticed


@pytest.mark.parametrize("context", [None, {}, {"somebody": {"preroll_s": 9}}, {KEY: {"new": 1}}])
def test_others_tell_nothing(context: dict[str, Any] | None) -> None:
    assert Noticed.of(context) == Noticed()


@pytest.mark.parametrize("told", [7, "loud", [], {"preroll_s": "long"}, {"heard": "loud"}])
def test_another_type_is_malformed(told: object) -> None:
    with pytest.raises(MALFORMED):
        Noticed.of({KEY: told})
