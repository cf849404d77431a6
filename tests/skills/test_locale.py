"""What a skill's `locale` folder adds to its sentences, and which of its faults are told."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from skills import timer
from skills.isolation.host import Host
from skills.registry import Registry, load_registry
from tests.cli.test_conversation import last_line
from tests.support.commands import run_assistant
from tests.support.installing import put
from tests.support.isolated_skills import written
from tests.support.wheels import make_wheel, skill_files

CODE = """
from assistant.skill import Reply, Skill

skill = Skill("bones", api=1, description="roll bones")
skill.rule("bone", "(bone|knuckle)")

@skill.intent("RollBones", "roll [the] <bone>s", "roll {sides} sided <bone>s")
def roll(sides: int = 6) -> Reply:
    return Reply(f"Rolled {sides}.")

@skill.intent("Stake", "stake little", fixed={"stake": "little"})
@skill.intent("Stake", "stake much", fixed={"stake": "much"})
def stake(stake: str) -> Reply:
    return Reply(stake)

@skill.short("RollAgain", "once more")
def again() -> Reply:
    return Reply("Again.")
"""
MORE = 'RollBones = ["let the bones decide", "cast {sides} sided <bone>s"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = written(tmp_path, "bones", CODE)
    (place / "locale").mkdir()
    return place


def loaded(folder: Path) -> Registry:
    return load_registry([folder], builtin=False)


def rolls(registry: Registry) -> tuple[str, ...]:
    assert registry.faults == ()
    (manifest,) = registry.manifests
    return next(schema.sentences for schema in manifest.intents if schema.intent == "RollBones")


@pytest.mark.usefixtures("sentences_alone")
def test_its_english_sentences_are_understood(folder: Path) -> None:
    said = ("say", "--skill", str(folder), "cast twenty sided knuckles")
    assert last_line(*said)["intent"] != "RollBones"  # the control: without the file
    (folder / "locale" / "en.toml").write_text(MORE)
    summary = last_line(*said)
    assert (summary["intent"], summary["slots"]) == ("RollBones", {"sides": 20})
    assert summary["reply"] == "Rolled 20."


def test_they_come_after_those_of_the_code_and_count_once(folder: Path) -> None:
    (folder / "locale" / "en.toml").write_text('RollBones = ["roll [the] <bone>s", "bones"]')
    assert rolls(loaded(folder)) == ("roll [the] <bone>s", "roll {sides} sided <bone>s", "bones")


def test_those_of_another_language_are_listed_and_not_used(folder: Path) -> None:
    before = rolls(loaded(folder))
    (folder / "locale" / "de.toml").write_text('RollBones = ["würfle [mit {sides} Seiten]"]')
    (folder / "locale" / "README.md").write_text("What else lies there is no language.")
    registry = loaded(folder)
    assert rolls(registry) == before
    (skill,) = registry.described()["skills"]
    assert skill["other_languages"] == ["de"]


FAULTS = [
    ("en", 'RolBones = ["bones"]', 'en.toml, RolBones: .* did you mean "RollBones"?'),
    ("de", 'RolBones = ["würfle"]', 'de.toml, RolBones: .* did you mean "RollBones"?'),
    ("en", 'RollBones = ["cast {faces} bones"]', r"en.toml, RollBones: .* the slot \{faces\}"),
    ("de", 'RollBones = ["würfle {faces}"]', r"de.toml, RollBones: .* the slot \{faces\}"),
    ("en", 'RollBones = ["cast (a|the"]', "en.toml, RollBones: .* cannot be parsed"),
    ("de", 'RollBones = ["würfle (ein|zwei"]', "de.toml, RollBones: .* cannot be parsed"),
    ("en", 'RollBones = ["cast <dice>"]', "en.toml, RollBones: .* <dice>, which is not defined"),
    ("en", 'RollBones = ["  "]', "en.toml, RollBones: .* is empty"),
    ("en", f'RollBones = ["{"[" * 5000}a{"]" * 5000}"]', "en.toml, RollBones: .* 50 deep"),
    ("en", 'RollBones = "bones"', r'en.toml, RollBones: needs a list .* RollBones = \["…"\]'),
    ("en", "RollBones = []", "en.toml, RollBones: needs a list"),
    ("en", "RollBones = [1]", "en.toml, RollBones: needs a list"),
    ("en", 'Stake = ["stake it"]', "en.toml, Stake: its sentences fix different slots"),
    ("en", 'RollAgain = ["anew"]', "en.toml, RollAgain: the skill's code has no sentences"),
    ("en", "RollBones = !", r"en.toml: .*at line 1"),
    ("en", f"RollBones = {'[' * 5000}", "en.toml: is nested too deeply"),
    ("en", f"# {'x' * 100_000}", "en.toml: has more than 100000 bytes"),
    ("english", MORE, "english.toml: is named after no language"),
]


@pytest.mark.parametrize(("language", "text", "why"), FAULTS)
def test_a_fault_in_a_file_is_the_skills(folder: Path, language: str, text: str, why: str) -> None:
    assert loaded(folder).faults == ()
    (folder / "locale" / f"{language}.toml").write_text(text)
    registry = loaded(folder)
    assert registry.manifests == ()
    (fault,) = registry.faults
    assert fault.skill == str(folder)
    assert re.fullmatch(f'skill "bones": locale/{why}.*', fault.message), fault.message


def test_all_faults_are_told_at_once(folder: Path) -> None:
    (folder / "locale" / "de.toml").write_bytes(b"RollBones = ['\xff']")
    (folder / "locale" / "en.toml").write_text('Roll = ["roll"]\nRollBones = ["cast {faces}"]')
    (fault,) = loaded(folder).faults
    lines = fault.message.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == [
        "locale/de.toml",
        "locale/en.toml, Roll",
        "locale/en.toml, RollBones",
    ]


def test_a_link_out_of_the_folder_is_not_read(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text(MORE)
    (folder / "locale" / "en.toml").symlink_to(outside)
    (fault,) = loaded(folder).faults
    assert "locale/en.toml: cannot be read; it must be a plain file" in fault.message
    (folder / "locale" / "en.toml").unlink()
    (folder / "locale" / "en.toml").write_text(MORE)  # the control: the same text in the folder
    assert "let the bones decide" in rolls(loaded(folder))


@pytest.mark.parametrize("command", ["check", "test"])
def test_the_authors_commands_tell_a_fault(folder: Path, command: str) -> None:
    (folder / "tests.yaml").write_text("- say: roll the bones\n  intent: RollBones\n")
    (folder / "locale" / "de.toml").write_text('RollBones = ["würfle {faces}"]')
    done = run_assistant("skills", command, folder)
    assert done.returncode == 2
    assert "locale/de.toml, RollBones" in " ".join(done.stderr.split())


def test_it_comes_with_a_wheel_and_must_stay_as_it_was_installed(tmp_path: Path) -> None:
    files = skill_files() | {"tides/locale/en.toml": b'HighTide = ["flood at {place}"]'}
    place = put(tmp_path / "state", make_wheel(tmp_path / "wheels", files))
    (manifest,) = loaded(place).manifests
    assert "flood at {place}" in manifest.intents[0].sentences
    Host().load(place)
    added = place / "files" / "tides" / "locale" / "de.toml"
    added.parent.chmod(0o755)
    added.write_text('HighTide = ["Flut in {place}"]')
    (fault,) = loaded(place).faults
    assert "tides/locale/de.toml is not what was installed" in fault.message


def test_a_skill_in_the_assistants_own_process_has_one_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "bones-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: bones\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[assistant.skills]\nbones = bones_skill:skill\n")
    package = tmp_path / "bones_skill"
    (package / "locale").mkdir(parents=True)
    (package / "__init__.py").write_text(CODE)
    (package / "locale" / "en.toml").write_text(MORE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "bones_skill", raising=False)
    manifest = next(m for m in load_registry().manifests if m.name == "bones")
    assert "let the bones decide" in manifest.intents[0].sentences


def test_a_built_in_skill_has_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locale").mkdir()
    (tmp_path / "locale" / "en.toml").write_text('HassStartTimer = ["egg clock for {duration}"]')
    monkeypatch.setattr(timer, "__file__", str(tmp_path / "__init__.py"))
    manifest = next(m for m in load_registry().manifests if m.name == "timer")
    sentences = [s for schema in manifest.intents for s in schema.sentences]
    assert "egg clock for {duration}" in sentences
