"""`assistant skills …`: which skills there are, how they get along, and what makes a new one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from assistant.cli.installation import skills as installation
from assistant.cli.shared.conversation import temporary_config
from assistant.cli.shared.output import console, emit, progress
from assistant.cli.shared.server_grants import ServerGrant
from assistant.cli.shared.skill_prompt import converse, listen
from assistant.cli.shared.skill_reports import show_check, show_failures
from assistant.composition import Composition
from assistant.core.clock import time_zone
from assistant.core.config import Config, config_files, load_config
from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import InputError, SkillError
from assistant.core.layout import QUARANTINE_FILE, STATE_FILE
from assistant.core.network.origin import Origin, split
from assistant.core.stage import Stage
from assistant.skill_development.cases import load_tests
from assistant.skill_development.check import check_all, check_one
from assistant.skill_development.hearing import by_voice, tell_names
from assistant.skill_development.loading import compose, name_of
from assistant.skill_development.microphone import SpokenTo
from assistant.skill_development.package import write_package
from assistant.skill_development.saved import SavedFiles
from assistant.skill_development.session import Session
from assistant.skill_development.testing import (
    PRESENT,
    Chain,
    Say,
    TestFigures,
    as_typed,
    run_tests,
)
from skills.capabilities.kept import forget as forget_kept
from skills.capabilities.kept import kept_bytes
from skills.isolation.installed import installed_skills, with_installed
from skills.isolation.package import Package, read_package
from skills.isolation.permissions import Permissions
from skills.isolation.quarantine import Quarantine
from skills.registry import BUILT_IN
from skills.state import open_state

app = typer.Typer(no_args_is_help=True, help="Which skills there are, and how to make one.")
app.command()(installation.install)
app.command()(installation.remove)

ConfigFile = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Home = Annotated[Path | None, typer.Option(help="YAML file of areas and devices.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of one skill.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


class SkillGrant(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a skill asks for, what of that is not granted, and whether it had been switched off."""

    skill: str
    wanted: tuple[str, ...]
    lacking: tuple[str, ...]
    released: bool
    drop_in: str = ""
    """What root must write for the bridge's unit, for servers on the internet."""


@app.command("list")
def list_skills(config: ConfigFile = None, json: Json = False) -> None:
    """Show each skill that there is, what it understands, and why one does not run."""
    settings = load_config(config_files(config))[0]
    versions = {one.name: one.version for _, one in installed_skills(settings.state_dir)}
    registry = Composition(with_installed(settings)).registry
    if json:
        described = registry.described()
        for skill in described["skills"]:
            skill["version"] = versions.get(skill["name"], "")
        emit(described)
        return
    table = Table("skill", "installed", "what it does", "intents")
    for manifest in registry.manifests:
        intents = ", ".join(dict.fromkeys(schema.intent for schema in manifest.intents))
        version = versions.get(manifest.name, "")
        table.add_row(manifest.name, version, manifest.description, intents)
    console.print(table)
    for manifest in registry.manifests:
        if manifest.other_languages:
            languages = ", ".join(manifest.other_languages)
            told = f"{manifest.name} also holds sentences that are not used: {languages}"
            console.print(told, markup=False)
    for fault in registry.faults:
        console.print(f"{fault.skill} does not run: {fault.message}", style="red", markup=False)
    for bad in registry.setting_faults:
        console.print(f"{bad.setting}: {bad.message}", style="red", markup=False)
    if registry.faults or registry.setting_faults:
        raise typer.Exit(1)


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as high_tide.")],
    into: Annotated[Path, typer.Option(help="The folder in which NAME is made.")] = Path(),
) -> None:
    """Write the package of a new skill, which runs and is tested as it is."""
    folder = write_package(name, into)
    console.print(f"{folder} is there. What next:", markup=False)
    for command, what in (("dev", "try it"), ("test", "run its tests")):
        console.print(f"  assistant skills {command} {folder}   {what}", markup=False)


@app.command()
def dev(
    folder: Folder,
    voice: Annotated[bool, typer.Option("--voice", help="By voice: speak to it.")] = False,
    home: Home = None,
    config: ConfigFile = None,
) -> None:
    """Talk to a skill at a prompt; what you save is loaded at once, and Ctrl-D ends it."""
    if not folder.is_dir():
        raise InputError("skill.missing", f"{folder}: there is no such folder")
    # Bytecode is told apart by the second in which its source was saved: too coarse here.
    sys.dont_write_bytecode = True
    settings = temporary_config(None, home, config)
    saved = SavedFiles(folder)
    with closing(open_state(None)) as state:
        if not voice:
            converse(Session(folder, settings, state), saved)
            return
        with SpokenTo(settings) as spoken_to:
            listen(Session(folder, settings, state, spoken_to), saved, spoken_to)


@app.command("test")
def run_yaml(
    folder: Folder,
    spoken: Annotated[bool, typer.Option("--spoken", help="By voice: flite speaks.")] = False,
    home: Home = None,
    config: ConfigFile = None,
    json: Json = False,
) -> None:
    """Run the tests.yaml of a skill, and fail where anything comes of it that it does not say."""
    tests = load_tests(folder)
    settings = temporary_config(None, home, config)
    now = PRESENT.replace(tzinfo=time_zone(settings.home.time_zone))
    with TemporaryDirectory() as state, progress("testing") as told:
        storage = msgspec.structs.replace(settings.storage, state=state)
        settings = msgspec.structs.replace(settings, storage=storage)
        composition = compose(folder, settings, now=lambda: now)
        before: tuple[Stage, ...] = ()
        say: Say = as_typed
        if spoken:
            tell_names(composition, settings.state_dir / STATE_FILE)
            before = (asr := composition.asr(),)
            say = by_voice(asr)
        failures = list(run_tests(tests, Chain(composition, before, say), told))
    figures = TestFigures(
        skill=name_of(folder, composition),
        conversations=len(tests.conversations),
        turns=sum(map(len, tests.conversations)),
        failures=len(failures),
        spoken=spoken,
    )
    if json:
        for failure in failures:
            emit(failure)
        emit(figures)
    else:
        show_failures(failures, figures)
    if failures:
        raise typer.Exit(1)


@app.command()
def check(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The one skill to speak of.")
    ] = None,
    skill: Annotated[list[Path] | None, typer.Option(help="A folder with a further skill.")] = None,
    config: ConfigFile = None,
    json: Json = False,
) -> None:
    """Show what each skill claims, and fail when skills conflict or a slot is never filled."""
    settings = _with_skills(with_installed(load_config(config_files(config))[0]), skill or [])
    if folder is None:
        found = check_all(Composition(settings), progress)
    else:
        composition = compose(folder, settings)
        found = check_one(composition, name_of(folder, composition), progress)
    if json:
        emit(found)
    else:
        show_check(found)
    if found.faults:
        raise typer.Exit(1)


@app.command()
def forget(
    name: Annotated[str, typer.Argument(help="The skill, which need not be there any more.")],
    config: ConfigFile = None,
) -> None:
    """Delete all that a skill keeps, while the assistant is stopped."""
    file = load_config(config_files(config))[0].state_dir / STATE_FILE
    if not file.exists():
        raise InputError("skill.unknown", f"{file}: nothing is kept yet")
    with closing(open_state(file)) as state:
        kept = kept_bytes(state)
        if name not in kept:
            remedy = did_you_mean(name, kept) if kept else "none does"
            raise InputError("skill.unknown", f'no skill "{name}" keeps anything; {remedy}')
        forget_kept(state, name)
    console.print(f"deleted {kept[name]} bytes that {name} kept", markup=False)


@app.command()
def grant(
    name: Annotated[str, typer.Argument(help="The skill's name.")],
    config: ConfigFile = None,
    json: Json = False,
) -> None:
    """Let a skill begin anew that was switched off for its failures, and show what it may use."""
    settings = with_installed(load_config(config_files(config))[0])
    wanted = Permissions(_asked_by(name, settings))
    lacking = Permissions(settings.skills.grants.get(name, ())).lacking(wanted)
    quarantine = Quarantine()
    quarantine.keep_in(settings.state_dir / QUARANTINE_FILE)
    released = quarantine.release(name)
    servers = ServerGrant(name, wanted.names)
    if json:
        emit(
            SkillGrant(
                skill=name,
                wanted=wanted.names,
                lacking=lacking,
                released=released,
                drop_in=servers.drop_in,
            )
        )
        return
    if released:
        console.print(f"{name} begins anew; now run: assistant reload", markup=False)
    if lacking:
        asked = ", ".join(f'"{one}"' for one in wanted.names)
        console.print(
            f"{name} is not granted {', '.join(lacking)}. To grant that, put this into the "
            f"settings and run assistant reload:\n\n[skills.grants]\n{name} = [{asked}]",
            markup=False,
        )
    else:
        console.print(f"{name} may use: {', '.join(wanted.names) or 'nothing'}", markup=False)
    if servers.told:
        console.print(servers.told, markup=False, soft_wrap=True)


def _asked_by(name: str, config: Config) -> tuple[str, ...]:
    """What a skill asks for: a built-in one for the servers that its own settings name."""
    package = next((p for p in _packages(config) if p.name == name), None)
    if package is not None:
        return package.permissions
    if name not in (skill.name for skill in BUILT_IN):
        message = f'no skill "{name}" is built in, is installed, or stands in skills.folders'
        raise InputError("skill.unknown", message)
    named = _texts(config.skills.settings.get(name, {}))
    return tuple(dict.fromkeys(origin.permission for origin in _origins(named)))


def _texts(value: Any) -> Iterator[str]:
    """The texts in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _origins(texts: Iterable[str]) -> Iterator[Origin]:
    """The servers of those texts that are URLs."""
    for text in texts:
        with suppress(ValueError):
            yield split(text)[0]


def _packages(config: Config) -> Iterator[Package]:
    """The skills in the folders of the settings whose pyproject.toml can be read."""
    for folder in config.skills.folders:
        with suppress(SkillError):
            yield read_package(Path(folder).expanduser())


def _with_skills(config: Config, folders: Sequence[Path]) -> Config:
    for folder in folders:
        if not folder.is_dir():
            raise InputError("skill.missing", f"{folder}: there is no such folder")
    every = dict.fromkeys((*config.skills.folders, *map(str, folders)))
    settings = msgspec.structs.replace(config.skills, folders=tuple(every))
    return msgspec.structs.replace(config, skills=settings)
