"""Checks all skills, or reads from that what concerns one of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import msgspec

from assistant.composition import Composition
from assistant.evaluation.confusion import confusions
from assistant.evaluation.skills import SkillReport, check_skills, owners_of
from assistant.evaluation.specimen import specimen_home
from nlu.build import FITTED_OF_EACH, FITTING_SEED
from nlu.classifier.encoder import MODEL, SentenceEncoder
from nlu.classifier.examples import read_shipped
from nlu.grammar.templates import Templates
from skills.registry import Fault

Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Shows, by name, how far a part of the check is."""


class SkillsCheck(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The result of `skills check`; `fitted` is false when there is no model to find confusions."""

    skills: list[SkillReport]
    refused: tuple[Fault, ...]
    faults: int
    warnings: int
    fitted: bool


def check_all(composition: Composition, progress: Progress) -> SkillsCheck:
    """Check every skill that the composition runs."""
    return _checked(composition, progress)


def check_one(
    composition: Composition, name: str, progress: Progress, *, confusable: bool = True
) -> SkillsCheck:
    """What of that check concerns the skill `name`: its report, and what others' say of it.

    Without `confusable` it is not looked for what the models would confuse, which are warnings.
    """
    found = _checked(composition, progress, name, confusable)
    intents = frozenset(composition.registry.intents_of(name))
    reports = [_about(r, name, intents) if r.skill != name else r for r in found.skills]
    kept = [r for r in reports if r.skill == name or r.faults or r.warnings]
    kept.sort(key=lambda report: report.skill != name)
    return _counted(kept, (), found.fitted)


def _checked(
    composition: Composition, progress: Progress, concerning: str = "", confusable: bool = True
) -> SkillsCheck:
    registry = composition.registry
    manifests = registry.manifests
    understanding, sentences = composition.understanding, composition.understanding.sentences
    if not composition.home.entities:
        sentences = Templates.compile(manifests, specimen_home(manifests))
    with progress("reading sentences") as told:
        whole = sentences.with_vocabulary(manifests, understanding.vocabulary)
        reports = check_skills(manifests, whole, told, concerning=concerning)
    fitted = MODEL in composition.library.artefacts
    if fitted and confusable:
        encoder = SentenceEncoder.load(composition.library)
        shipped = read_shipped(composition.library.read(MODEL)["examples.npz"])
        drawn = sentences.labelled(FITTED_OF_EACH, FITTING_SEED)
        with progress("fitting") as told:
            taken = confusions(drawn, encoder, shipped, owners_of(manifests), told)
        reports = [msgspec.structs.replace(r, confused=taken.get(r.skill, [])) for r in reports]
    return _counted(reports, registry.faults, fitted)


def _about(report: SkillReport, name: str, intents: frozenset[str]) -> SkillReport:
    """Another skill's report with only what names the skill `name`."""
    return msgspec.structs.replace(
        report,
        claims={},
        conflicts=[c for c in report.conflicts if c.other_skill == name],
        unfilled=[],
        overrides=[c for c in report.overrides if c.other_skill == name],
        unreachable=[u for u in report.unreachable if not intents.isdisjoint(u.instead)],
        confused=[c for c in report.confused if c.other_skill == name],
    )


def _counted(reports: list[SkillReport], refused: tuple[Fault, ...], fitted: bool) -> SkillsCheck:
    return SkillsCheck(
        skills=reports,
        refused=refused,
        faults=len(refused) + sum(report.faults for report in reports),
        warnings=sum(report.warnings for report in reports),
        fitted=fitted,
    )
