"""A skill of somebody else uses the device itself only where that is granted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.core.errors import SkillError
from assistant.skill.device import Recalled
from assistant.skill.device.memory import MemoryDevice
from assistant.skill.testing import memory_context
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from tests.support.isolated_skills import call, written

CODE = """
from assistant.skill import Context, Reply, Skill

skill = Skill("evening", api=1)


@skill.intent("Evening", "good evening everybody")
def evening(context: Context) -> Reply:
    device = context.device
    undo = device.set_volume(30)
    return Reply(f"{device.version}, {device.volume}, {device.recalled.heard}", undo=undo)
"""


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Callable[..., IsolatedSkill]]:
    hosts: list[Host] = []

    def load(*permissions: str) -> IsolatedSkill:
        hosts.append(Host({"evening": permissions}))
        place = tmp_path / str(len(hosts))
        place.mkdir()
        return hosts[-1].load(written(place, "evening", CODE, permissions))

    yield load
    for host in hosts:
        host.close()


@pytest.mark.parametrize("permission", ["device", "storage"])
def test_only_with_its_permission(load: Callable[..., IsolatedSkill], permission: str) -> None:
    context = memory_context()
    assert isinstance(context.device, MemoryDevice)
    context.device.recalled = Recalled(heard="lamp on")
    skill = load(permission)
    if permission == "device":
        reply = call(skill, "Evening", context)
        assert reply.text == "1.0.0, 30, lamp on"
        assert context.device.volume == 30
    else:
        with pytest.raises(SkillError, match='the permission "device"'):
            call(skill, "Evening", context)
        assert context.device.volume == 50
