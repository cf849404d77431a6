"""Which skills run: those that are good, whatever the bad ones do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from skills.fixed.unserved import NAME as UNSERVED
from skills.isolation import isolated
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from skills.registry import BUILT_IN, load_registry
from tests.support.talking import Talk

REPOSITORY = Path(__file__).resolve().parents[2]
PYPROJECT = """
[project]
name = "{name}"
[project.entry-points."assistant.skills"]
{name} = "{target}"
"""
MODULE = """
from assistant.skill import Reply, Skill

skill = Skill("{name}", api={api})

@skill.intent("{intent}", "{sentence}")
def answer() -> Reply:
    return Reply("{name} here")
"""


def folder(
    parent: Path,
    name: str,
    *,
    module: str = MODULE,
    api: int = 1,
    intent: str = "",
    sentence: str = "say hello",
    target: str = "hello:skill",
) -> Path:
    place = parent / name
    place.mkdir()
    (place / "pyproject.toml").write_text(PYPROJECT.format(name=name, target=target))
    text = module.format(name=name, api=api, intent=intent or name.title(), sentence=sentence)
    (place / "hello.py").write_text(text)
    return place


def test_the_built_in_skills_are_all_good() -> None:
    registry = load_registry()
    assert registry.faults == ()
    assert [m.name for m in registry.manifests] == [*(s.name for s in BUILT_IN), UNSERVED]


def test_one_folder_can_stand_alone(tmp_path: Path) -> None:
    registry = load_registry([folder(tmp_path, "one")], builtin=False)
    assert [m.name for m in registry.manifests] == ["one"]


def test_two_folders_may_hold_modules_of_one_name(tmp_path: Path) -> None:
    folders = [folder(tmp_path, "one"), folder(tmp_path, "two")]
    talk = Talk(registry=load_registry(folders, builtin=False))
    assert talk.ask("One") == "one here"
    assert talk.ask("Two") == "two here"
    talk.database.close()


def test_a_skill_may_be_a_package(tmp_path: Path) -> None:
    place = folder(tmp_path, "one")
    package = place / "hello"
    package.mkdir()
    (place / "hello.py").rename(package / "words.py")
    (package / "__init__.py").write_text("from .words import skill")
    registry = load_registry([place], builtin=False)
    assert registry.faults == ()
    assert [m.name for m in registry.manifests] == ["one"]


def test_disabled_skills_stay_off() -> None:
    registry = load_registry(disabled=("timer", "home", "unserved"))
    names = [m.name for m in registry.manifests]
    others = ["clock", "planned", "sums", "jokes", "announcements", "documents", "conversation"]
    own = ["alarms", "reminders", "calendar", "routines", "music", "news", "sensors", "device"]
    assert names == [*others, "talk", *own]
    assert registry.faults == ()


DEEPER = """
def divide():
    return 1 / 0

divide()
"""
BAD = {
    "raises": ("1 / 0", "ZeroDivisionError: division by zero ({0}, line 1)"),
    "raises_below": (DEEPER, "ZeroDivisionError: division by zero ({0}, line 3)"),
    "does_not_parse": ("x = 1\ndef", "SyntaxError: invalid syntax ({0}, line 2)"),
    # A SyntaxError, and in Python 3.11.2 a ValueError.
    "has_a_null": ("x = 1\n\0", "Error: source code string cannot contain null bytes"),
    "imports_nothing": (
        "\nimport no_such_module",
        "ModuleNotFoundError: No module named 'no_such_module' ({0}, line 2)",
    ),
    "does_not_register": (
        "from assistant.skill import Skill\nskill = Skill()",
        "required positional argument: 'name' ({0}, line 2)",
    ),
    "leaves": ("import sys\nsys.exit(0)", "SystemExit: 0 ({0}, line 2)"),
    "loops": ("while True:\n    pass", "does not come to an end ({0}, line "),
    "recurses": ("def a():\n    a()\na()", "RecursionError: "),
    "tells_lies": (
        "class E(Exception):\n    def __str__(self):\n        1 / 0\nraise E",
        "E: <exception str() failed> ({0}, line 4)",
    ),
    "holds_no_skill": ("skill = 3", "is no Skill"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_folder_that_cannot_be_loaded_is_told_with_its_line_and_the_rest_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    module, why = BAD[name]
    folders = [folder(tmp_path, name, module=module), folder(tmp_path, "good")]
    load = Host.load

    def hurried(host: Host, place: Path, *given: Any) -> IsolatedSkill:
        """As it is, but the one that loops has little time."""
        load_s = 1.0 if name == "loops" and place == folders[0] else 60.0
        monkeypatch.setattr(isolated, "LOAD_S", load_s)
        return load(host, place, *given)

    monkeypatch.setattr(Host, "load", hurried)
    registry = load_registry(folders, builtin=False)
    assert [m.name for m in registry.manifests] == ["good"]
    ((bad, message),) = [(f.skill, f.message) for f in registry.faults]
    assert bad == str(folders[0])
    assert why.format(folders[0] / "hello.py") in message
    assert "\n" not in message
    assert name in message


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"api": 99}, 'skill "bad": is written for api 99'),
        ({"sentence": "say (hello"}, 'skill "bad": intent Bad: "say (hello": cannot be parsed'),
        ({"sentence": "say {word}"}, "names the slot {word}"),
        ({"intent": "HassStartTimer"}, 'intent HassStartTimer is "timer"\'s'),
        ({"target": "nowhere:skill"}, "there is no nowhere.py"),
    ],
)
def test_a_bad_skill_is_refused_by_name(
    tmp_path: Path, settings: dict[str, object], why: str
) -> None:
    registry = load_registry([folder(tmp_path, "bad", **settings)])  # type: ignore[arg-type]
    assert [m.name for m in registry.manifests] == [*(s.name for s in BUILT_IN), UNSERVED]
    (fault,) = registry.faults
    assert why in fault.message


def test_a_folder_without_facts_is_told(tmp_path: Path) -> None:
    for name, text in {
        "none": None,
        "broken": "[project",
        "pointless": "[project]",
        "odd": "project = 1",
    }.items():
        place = tmp_path / name
        place.mkdir()
        if text is not None:
            (place / "pyproject.toml").write_text(text)
    places = [tmp_path / name for name in ("none", "broken", "pointless", "odd", "missing")]
    registry = load_registry(places, builtin=False)
    assert [f.skill for f in registry.faults] == [str(place) for place in places]
    assert all("pyproject.toml" in f.message for f in registry.faults)


def test_an_installed_wheel_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "barking-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: barking\nVersion: 1.0\n")
    points = "[assistant.skills]\nbarking = barking_skill:skill\nbroken = no_such_module:skill\n"
    (facts / "entry_points.txt").write_text(points)
    module = MODULE.format(name="barking", api=1, intent="Bark", sentence="bark")
    (tmp_path / "barking_skill.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "barking_skill", raising=False)
    registry = load_registry()
    assert [m.name for m in registry.manifests][-2:] == ["barking", UNSERVED]
    assert [f.skill for f in registry.faults] == ["broken"]


def test_loading_again_takes_what_is_on_the_disk_now(tmp_path: Path) -> None:
    place = folder(tmp_path, "one", sentence="say hello")
    load_registry([place], builtin=False)
    (place / "hello.py").write_text(
        MODULE.format(name="one", api=1, intent="One", sentence="say something else entirely")
    )
    (manifest,) = load_registry([place], builtin=False).manifests
    assert manifest.intents[0].sentences == ("say something else entirely",)


def test_the_example_skill_runs() -> None:
    registry = load_registry([REPOSITORY / "examples" / "skills" / "dice"])
    assert registry.faults == ()
    talk = Talk(registry=registry)
    assert talk.ask("RollDice", sides=1) == "You rolled 1."
    assert talk.ask("TellStory") == "I don't know any stories, poems or riddles."
    talk.database.close()


@pytest.mark.parametrize(
    ("project", "told"),
    [
        ("a = " + "[" * 5_000, "nested"),
        ("a = " + "9" * 5_000, "digits"),
        ("project = 7", "entry-points"),
        ("[project]\nentry-points = [1]", "entry-points"),
        ('[project.entry-points."assistant.skills"]\nx = "../../etc/x:skill"', "no module's name"),
        (f'[project.entry-points."assistant.skills"]\nx = "{"x/" * 500}"', "no module's name"),
    ],
    ids=lambda text: text[:30],
)
def test_a_project_file_that_nobody_meant_is_refused_by_its_name(
    tmp_path: Path, project: str, told: str
) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(project)
    (fault,) = load_registry((tmp_path,), builtin=False).faults
    assert str(file) in fault.message
    assert told in fault.message
    assert len(fault.message) < 400
