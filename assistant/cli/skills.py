"""`assistant skills …`: which skills there are, and whether they conflict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from assistant.cli.shared.output import console, emit, progress
from assistant.composition import Composition
from assistant.core.config import Config, config_files, load_config
from assistant.core.errors import InputError
from assistant.evaluation.confusion import confusions
from assistant.evaluation.skills import (
    Conflict,
    Confusion,
    Rank,
    SkillReport,
    check_skills,
    owners_of,
)
from assistant.evaluation.specimen import specimen_home
from nlu.build import FITTED_SENTENCES, FITTING_SEED
from nlu.classifier.encoder import MODEL, SentenceEncoder
from nlu.classifier.examples import read_shipped
from nlu.grammar.templates import Templates
from skills.registry import Fault

app = typer.Typer(no_args_is_help=True, help="Which skills there are, and if they get along.")

_SHOWN = 8
"""Most warnings of one kind that are shown for one skill."""

_OUTCOMES = {
    Rank.BETTER: "which fits better and has it",
    Rank.EQUAL: "which fits as well: whichever is loaded first has it",
    Rank.WORSE: "and is taken from it",
}

ConfigFile = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


class SkillsCheck(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The result of `skills check`; `fitted` is false when there is no model to find confusions."""

    skills: list[SkillReport]
    refused: tuple[Fault, ...]
    faults: int
    warnings: int
    fitted: bool


@app.command("list")
def list_skills(config: ConfigFile = None, json: Json = False) -> None:
    """Show each skill that the settings load, what it understands, and why one does not run."""
    registry = Composition(load_config(config_files(config))[0]).registry
    if json:
        emit(registry.described())
        return
    table = Table("skill", "what it does", "intents")
    for manifest in registry.manifests:
        intents = dict.fromkeys(schema.intent for schema in manifest.intents)
        table.add_row(manifest.name, manifest.description, ", ".join(intents))
    console.print(table)
    for fault in registry.faults:
        console.print(f"{fault.skill} does not run: {fault.message}", style="red", markup=False)
    if registry.faults:
        raise typer.Exit(1)


@app.command()
def check(
    skill: Annotated[list[Path] | None, typer.Option(help="A folder with a further skill.")] = None,
    config: ConfigFile = None,
    json: Json = False,
) -> None:
    """Show what each skill claims, and fail when skills conflict or a slot is never filled."""
    found = _checked(Composition(_with_skills(load_config(config_files(config))[0], skill or [])))
    if json:
        emit(found)
    else:
        _show(found)
    if found.faults:
        raise typer.Exit(1)


def _with_skills(config: Config, folders: Sequence[Path]) -> Config:
    for folder in folders:
        if not folder.is_dir():
            raise InputError("skill.missing", f"{folder}: there is no such folder")
    every = dict.fromkeys((*config.skills.folders, *map(str, folders)))
    settings = msgspec.structs.replace(config.skills, folders=tuple(every))
    return msgspec.structs.replace(config, skills=settings)


def _checked(composition: Composition) -> SkillsCheck:
    registry = composition.registry
    manifests = registry.manifests
    understanding, sentences = composition.understanding, composition.understanding.sentences
    if not composition.home.entities:
        sentences = Templates.compile(manifests, specimen_home(manifests))
    with progress("reading sentences") as told:
        whole = sentences.with_vocabulary(manifests, understanding.vocabulary)
        reports = check_skills(manifests, whole, told)
    fitted = MODEL in composition.library.artefacts
    if fitted:
        encoder = SentenceEncoder.load(composition.library)
        shipped = read_shipped(composition.library.read(MODEL)["examples.npz"])
        drawn = sentences.labelled(FITTED_SENTENCES, FITTING_SEED)
        with progress("fitting") as told:
            taken = confusions(drawn, encoder, shipped, owners_of(manifests), told)
        reports = [msgspec.structs.replace(r, confused=taken.get(r.skill, [])) for r in reports]
    return SkillsCheck(
        skills=reports,
        refused=registry.faults,
        faults=len(registry.faults) + sum(report.faults for report in reports),
        warnings=sum(report.warnings for report in reports),
        fitted=fitted,
    )


def _show(found: SkillsCheck) -> None:
    for report in found.skills:
        console.print(f"[bold]{escape(report.skill)}[/]")
        for intent, sentences in report.claims.items():
            said = ", ".join(f"“{sentence}”" for sentence in sentences)
            console.print(f"  {intent}: {said}", style="dim", markup=False, soft_wrap=True)
        for line in _faults(report):
            console.print(f"  fault: {line}", style="red", markup=False, soft_wrap=True)
        for line in _warnings(report):
            console.print(f"  warning: {line}", style="yellow", markup=False, soft_wrap=True)
    for fault in found.refused:
        text = f"fault: {fault.skill} does not run: {fault.message}"
        console.print(text, style="red", markup=False, soft_wrap=True)
    if not found.fitted:
        console.print("The intent model is not here: what it would confuse is not looked for.")
    console.print(f"faults: {found.faults}, warnings: {found.warnings}")


def _faults(report: SkillReport) -> Iterator[str]:
    for conflict in report.conflicts:
        other = f"{conflict.other_intent} of {conflict.other_skill}"
        yield f"{_spoken(conflict)} is a sentence of {other} too, {_OUTCOMES[conflict.rank]}"
    for slot in report.unfilled:
        yield f"{slot.intent}: no sentence fills {{{slot.slot}}}; name it in one, or drop it"


def _warnings(report: SkillReport) -> Iterator[str]:
    yield from _few(
        f"{_spoken(c)} takes over {c.other_intent} of {c.other_skill}" for c in report.overrides
    )
    yield from _few(
        f"{u.intent}: “{u.template}” is never taken for it, but for {', '.join(u.instead)}"
        if u.instead
        else f"{u.intent}: “{u.template}” names nothing that this home has"
        for u in report.unreachable
    )
    yield from _few(
        f"{c.intent}: “{c.sentence}”, were it no sentence of its own, would be taken for "
        f"{_other(c)} ({c.belief:.2f})"
        for c in report.confused
    )


def _other(confusion: Confusion) -> str:
    if not confusion.other_intent:
        return "talk not meant for the assistant"
    of = f" of {confusion.other_skill}" if confusion.other_skill else ""
    return f"{confusion.other_intent}{of}"


def _spoken(conflict: Conflict) -> str:
    return f"{conflict.intent}: “{conflict.sentence}” (of “{conflict.template}”)"


def _few(lines: Iterator[str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:_SHOWN]
    if len(every) > _SHOWN:
        yield f"… and {len(every) - _SHOWN} more such; --json has all"
