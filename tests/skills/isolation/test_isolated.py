"""A skill of somebody else does, in its own process, what it is granted."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.core.errors import SkillError
from assistant.core.messages import Slot
from assistant.skill import Cancelled, Choose, Confirm, Undo
from assistant.skill.events import StateChanged
from assistant.skill.home import Area, Entity, Home
from assistant.skill.signature import schema_of
from assistant.skill.testing import memory_context
from skills.isolation import isolated
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from skills.isolation.quarantine import STRIKES, Quarantine
from tests.support.isolated_skills import call, written

HEAD = "from assistant.skill import *\nfrom datetime import timedelta\n"
TEA = (
    HEAD
    + """
from enum import Enum
skill = Skill("tea", api=1, description="make tea")

class Kind(Enum):
    GREEN = "green"
    BLACK = "black"

@skill.intent("MakeTea", "make {kind} tea")
def make(kind: Kind, context: Context):
    minutes = yield Ask("For how long?", timedelta)
    if not (yield Confirm("Really?")):
        return Reply("Then not.")
    try:
        cup = yield Choose("Which cup?", ("the big one", "the small one"))
    except Cancelled:
        cup = "no cup"
    timer = context.timers.start(minutes, kind.value)
    undo = Undo("timers.cancel", timer.id)
    return Reply(f"{context.say(minutes)} in {cup}, {timer.name}.", undo=undo)

@skill.intent("StealLight", "steal the light")
def steal(context: Context) -> Reply:
    context.home.set_state("light.hall", "off")
    return Reply("done")

@skill.intent("UndoOthers", "undo what others did")
def undo() -> Reply:
    return Reply("done", undo=Undo("home.set", "lock.door", "unlocked"))

@skill.intent("WhereIs", "where is {area}")
def where(area: Area, context: Context) -> Reply:
    return Reply(f"{area.name}, of {len(context.home.areas)}, {len(context.home.entities)} things")
"""
)
HOME = Home(
    areas=(Area(id="hall", name="Hall"), Area(id="kitchen", name="Kitchen")),
    entities=(
        Entity(id="light.hall", name="hall light", area="hall", state="on"),
        Entity(id="light.kitchen", name="kitchen light", area="kitchen", state="on"),
        Entity(id="lock.door", name="door", area="hall", state="locked"),
    ),
)

Load = Callable[..., IsolatedSkill]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Writes a skill and loads it, with all that it asks for granted, or only `granted`."""
    hosts: list[Host] = []

    def load(
        code: str, *permissions: str, granted: tuple[str, ...] | None = None, name: str = "tea"
    ) -> IsolatedSkill:
        grants = {name: permissions if granted is None else granted}
        hosts.append(Host(grants))
        hosts[-1].quarantine.keep_in(tmp_path / "quarantine.json")
        place = tmp_path / str(len(hosts))
        place.mkdir()
        return hosts[-1].load(written(place, name, code, permissions))

    yield load
    for host in hosts:
        host.close()


def test_a_dialog_passes_between_the_processes_with_its_values(load: Load) -> None:
    skill, context = load(TEA, "timers"), memory_context()
    asked: list[object] = []
    kind = Slot(name="kind", value="green", raw="green")
    answers = [180, True, "the small one"]
    reply = call(skill, "MakeTea", context, [kind], answers, asked)  # type: ignore[arg-type]
    assert reply.text == "three minutes in the small one, green."
    (timer,) = context.timers.all()
    assert (timer.duration, timer.name) == (timedelta(minutes=3), "green")
    assert reply.undo == Undo("timers.cancel", timer.id)
    how_long, really, which = asked
    assert schema_of("answer", how_long.answer).kind == "duration"  # type: ignore[attr-defined]
    assert really == Confirm("Really?")
    assert which == Choose("Which cup?", ("the big one", "the small one"))


def test_a_skill_of_others_asks_for_no_commands(load: Load) -> None:
    asking = TEA.replace('Ask("For how long?", timedelta)', 'AskCommands("What?")')
    skill, kind = load(asking, "timers"), Slot(name="kind", value="green", raw="green")
    with pytest.raises(SkillError, match="only a built-in skill may ask for commands"):
        call(skill, "MakeTea", memory_context(), [kind], [()])


def test_who_says_cancel_is_obeyed_there_too(load: Load) -> None:
    skill, kind = load(TEA, "timers"), Slot(name="kind", value="black", raw="black")
    reply = call(skill, "MakeTea", memory_context(), [kind], [60, True, Cancelled()])
    assert reply.text == "one minute in no cup, black."


def test_a_dialog_that_does_not_ask_for_it_ends_when_it_is_cancelled(load: Load) -> None:
    skill, kind = load(TEA, "timers"), Slot(name="kind", value="black", raw="black")
    with pytest.raises(Cancelled):
        call(skill, "MakeTea", memory_context(), [kind], [Cancelled()])
    assert skill.pid is not None


def test_what_is_not_granted_is_not_loaded_and_the_line_to_add_is_told(load: Load) -> None:
    with pytest.raises(SkillError, match=r'tea = \["timers", "home:light"\] under \[skills.grants'):
        load(TEA, "timers", "home:light", granted=("timers", "home:lock"))
    with pytest.raises(SkillError, match=r'no permission "timer".*did you mean "timers"'):
        load(TEA, "timer")


def test_a_capability_that_it_does_not_ask_for_is_refused(load: Load) -> None:
    context = memory_context()
    kind = Slot(name="kind", value="black", raw="black")
    with pytest.raises(SkillError, match='needs the permission "timers"'):
        call(load(TEA), "MakeTea", context, [kind], [60, True, "the big one"])
    assert context.timers.all() == ()


@pytest.mark.parametrize(
    ("permission", "allowed"),
    [
        ("home", True),
        ("home:light", True),
        ("home:*:hall", True),
        ("home:light:hall", True),
        ("home:light:kitchen", False),
        ("home:lock", False),
        ("timers", False),
    ],
)
def test_of_the_home_it_may_use_what_is_granted(load: Load, permission: str, allowed: bool) -> None:
    skill, context = load(TEA, permission), memory_context(HOME)
    if allowed:
        assert call(skill, "StealLight", context).text == "done"
    else:
        with pytest.raises(SkillError, match=r"may not use light.hall|needs the permission"):
            call(skill, "StealLight", context)
    state = next(e.state for e in context.home.entities if e.id == "light.hall")
    assert state == ("off" if allowed else "on")


def test_it_undoes_nothing_that_it_may_not_do(load: Load) -> None:
    with pytest.raises(SkillError, match="may not undo"):
        call(load(TEA, "home:light"), "UndoOthers", memory_context(HOME))
    assert call(load(TEA, "home:lock"), "UndoOthers", memory_context(HOME)).undo


def test_without_the_home_it_is_told_only_what_the_request_names(load: Load) -> None:
    area = Slot(name="area", value="Kitchen", raw="kitchen")
    reply = call(load(TEA), "WhereIs", memory_context(HOME), [area])
    assert reply.text == "Kitchen, of 1, 0 things"
    reply = call(load(TEA, "home:light"), "WhereIs", memory_context(HOME), [area])
    assert reply.text == "Kitchen, of 2, 2 things"


UNFILTERED = """
import socket, sys
import msgspec
from skills.isolation.server import Answer
told = msgspec.msgpack.encode(Answer(refused=("a filter of system calls",)))
socket.socket(fileno=int(sys.argv[1])).send(told)
"""


def test_where_the_kernel_has_no_filter_no_skill_of_others_is_run(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (sys.executable, "-c", UNFILTERED)
    monkeypatch.setattr("skills.isolation.spawner.PROGRAM", program)
    with pytest.raises(SkillError, match="cannot confine a skill") as refused:
        load(TEA)
    assert refused.value.code == "skill.unconfined"


ABUSE = {
    "crashes": "import os; os._exit(3)",
    "ends_itself_by_a_signal": "import os, signal; os.kill(os.getpid(), 11)",
    "loops": "while True: pass",
    "loops_and_catches_everything": (
        "while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass"
    ),
    "loops_where_no_signal_reaches": "sum(range(10 ** 13))",
    "sleeps": "import time; time.sleep(60)",
    "takes_all_memory": "kept = [bytearray(10 ** 6) for _ in range(10 ** 6)]",
    "takes_all_memory_at_once": "kept = bytearray(10 ** 10)",
    "recurses": "def f(): f()\n    f()",
    "replies_with_a_megabyte": "return Reply('a' * 1_000_000)",
    "replies_at_length": "return Reply('a' * 10_000)",
    "replies_with_no_reply": "return 'hello'",
    "replies_with_a_number": "return Reply(3)",
    "raises": "1 / 0",
    "leaves": "raise SystemExit",
    "uses_without_end": "while True: context.timers.all()",
    "forks_without_end": "import os\n    while True: os.fork()",
    "floods_its_line": (
        "import os\n    while True:\n        for n in range(64):\n"
        "            try: os.write(n, b'x' * 65536)\n"
        "            except OSError: pass"
    ),
}


@pytest.mark.parametrize("name", ABUSE)
def test_whatever_a_skill_does_it_is_named_and_the_next_request_is_served(
    load: Load, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(isolated, "MOVE_S", 1.0)
    code = f"""{HEAD}
skill = Skill("tea", api=1)

@skill.intent("Abuse", "abuse")
def abuse(context: Context) -> Reply:
    {ABUSE[name]}

@skill.intent("Behave", "behave")
def behave() -> Reply:
    return Reply("well")
"""
    skill, context = load(code, "timers"), memory_context()
    with pytest.raises(SkillError, match='"tea"'):
        call(skill, "Abuse", context)
    monkeypatch.setattr(isolated, "MOVE_S", 20.0)  # it is started again
    assert call(skill, "Behave", context).text == "well"


CRASH = (
    HEAD
    + """
skill = Skill("tea", api=1)

@skill.intent("Crash", "crash")
def crash() -> Reply:
    import os
    os._exit(1)
"""
)


def test_after_three_strikes_it_stays_off_until_the_user_says_otherwise(
    load: Load, tmp_path: Path
) -> None:
    skill = load(CRASH)
    for _ in range(STRIKES):
        with pytest.raises(SkillError, match="it has ended"):
            call(skill, "Crash", memory_context())
    reply = call(skill, "Crash", memory_context())
    assert "switched off" in reply.text
    assert not reply.done
    assert skill.pid is None
    again = load(CRASH)  # as after a restart of the daemon
    assert "switched off" in call(again, "Crash", memory_context()).text
    quarantine = Quarantine()
    quarantine.keep_in(tmp_path / "quarantine.json")
    assert quarantine.release("tea")
    assert not quarantine.release("tea")
    with pytest.raises(SkillError, match="it has ended"):
        call(load(CRASH), "Crash", memory_context())


def test_a_process_that_was_killed_between_requests_is_started_again(load: Load) -> None:
    skill = load(TEA)
    skill.warm()
    first = skill.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    with pytest.raises(SkillError, match="it has ended"):
        call(skill, "UndoOthers", memory_context(HOME))
    with pytest.raises(SkillError, match="needs the permission"):
        call(skill, "UndoOthers", memory_context(HOME))
    assert skill.pid not in (None, first)


def test_a_skill_may_be_several_modules_and_hold_data(load: Load, tmp_path: Path) -> None:
    code = f"""{HEAD}
import pkgutil, shelve_of.words, colorsys
skill = Skill("tea", api=1)

@skill.intent("Read", "read")
def read() -> Reply:
    try:
        secret = pkgutil.get_data("shelve_of", "../../secret.txt")
    except OSError:
        secret = b"nothing"
    data = pkgutil.get_data("shelve_of", "data.txt")
    return Reply(f"{{shelve_of.words.WORD}} {{data.decode()}} {{secret.decode()}}")
"""
    place = tmp_path / "package"
    place.mkdir()
    folder = written(place, "tea", code)
    (folder / "shelve_of").mkdir()
    (folder / "shelve_of" / "__init__.py").write_text("")
    (folder / "shelve_of" / "words.py").write_text("WORD = 'hello'")
    (folder / "shelve_of" / "data.txt").write_text("there")
    (place / "secret.txt").write_text("key")
    host = Host()
    assert call(host.load(folder), "Read", memory_context()).text == "hello there nothing"
    host.close()


TIDES = (
    HEAD
    + """
import msgspec
from datetime import time

class Tides(msgspec.Struct, frozen=True):
    place: str = "Kiel"
    \"\"\"The harbour.\"\"\"

skill = Skill("tides", api=1, settings=Tides)

@skill.intent("HighTide", "when is high tide")
def high(context: Context) -> Reply:
    context.storage.set("asked", context.storage.get("asked", int, 0) + 1)
    context.log.info("asked for %s", context.settings.place)
    context.announce("The tide is high.", priority="low", after=timedelta(hours=1))
    return Reply(f"{context.settings.place} {context.storage.get('asked', int, 0)}")

@skill.on(StateChange(domain="lock"))
def unlocked(event: StateChanged, context: Context) -> None:
    context.announce(f"{event.entity.name} is {event.entity.state}.")
"""
)
LOCK = "home:lock"


def test_it_keeps_values_has_settings_writes_its_log_and_speaks_first(
    load: Load, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    skill = load(TIDES, "storage", "announcements", LOCK, name="tides")
    (setting,) = skill.manifest().settings
    assert (setting.name, setting.default, setting.meaning) == ("place", "Kiel", "The harbour.")
    context = memory_context()
    assert [call(skill, "HighTide", context).text for _ in range(2)] == ["Kiel 1", "Kiel 2"]
    assert context.storage.get("asked", int, 0) == 2
    assert [one.text for one in context.announcements.waiting()] == 2 * ["The tide is high."]
    assert len(caplog.messages) == 2
    assert all(message.endswith(": asked for Kiel") for message in caplog.messages)


def test_its_handlers_are_told_of_what_it_may_see_alone(load: Load) -> None:
    with pytest.raises(SkillError, match='lacks the permission "home:lock"'):
        load(TIDES, "storage", "announcements", "home:lock:kitchen", name="tides")
    skill = load(TIDES, "storage", "announcements", LOCK, name="tides")
    (subscription,) = skill.manifest().subscriptions
    context, (light, _, lock) = memory_context(HOME), HOME.entities
    for entity in (light, lock):
        skill.handle(subscription.key, StateChanged(entity=entity, before="on"), context)
    assert [one.text for one in context.announcements.waiting()] == ["door is locked."]


def test_a_setting_of_the_wrong_type_counts_as_not_given(tmp_path: Path) -> None:
    host = Host({"tides": ("storage", "announcements", LOCK)})
    folder = written(tmp_path, "tides", TIDES, ("storage", "announcements", LOCK))
    skill = host.load(folder, {"tides": {"place": 3, "plaice": "Husum"}})
    assert skill.settings == {"place": "Kiel"}
    assert {bad.name for bad in skill.bad_settings} == {"place", "plaice"}
    skill = host.load(folder, {"tides": {"place": "Husum"}})
    assert call(skill, "HighTide", memory_context()).text == "Husum 1"
    host.close()
