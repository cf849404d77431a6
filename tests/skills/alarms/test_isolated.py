"""A skill in a process of its own sets alarms over its line as any other does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.core.errors import SkillError
from assistant.core.messages import When
from assistant.skill.memory import MemoryAlarms
from assistant.skill.testing import NOW
from skills.isolation.capabilities import carry_out, remote


def test_every_operation_passes_the_line() -> None:
    kept = MemoryAlarms(NOW)
    alarms = remote("alarms", lambda name, what, given: carry_out(name, kept, what, given))
    soon = When(kind="in", said="in ten minutes", value=600)
    alarm = alarms.set(soon, "The tea is ready.", kind="tea", insists=True)
    assert (alarm.kind, alarm.at) == ("tea", NOW + timedelta(minutes=10))
    assert alarms.all() == (alarm,)
    assert alarms.rung is None
    alarms.move(alarm.id, When(kind="in", said="in an hour", value=3600))
    assert alarms.all()[0].then == "in an hour"
    assert alarms.skip(alarm.id).operation == "alarms.restore"
    assert alarms.silence() == ()
    assert alarms.cancel(alarm.id).id == alarm.id
    assert alarms.all() == ()


def test_what_does_not_fit_is_refused() -> None:
    alarms = remote(
        "alarms", lambda name, what, given: carry_out(name, MemoryAlarms(NOW), what, given)
    )
    with pytest.raises(SkillError, match=r"alarms\.set"):
        alarms.set("at six", "The tea is ready.")
