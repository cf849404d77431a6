"""Vacuum cleaners and lawn mowers: start them, let them wait, send them back to their dock."""

from __future__ import annotations

from typing import Annotated

import msgspec

from assistant.skill import Confirm, Context, Dialog, Reply, Request, Skill, Traits, domains
from skills.home.actions import DOCK, MOW, PAUSE, SEND_HOME, START, Action
from skills.home.setting import LEFT, bring
from skills.home.targets import Place, TargetMention, find, one_of, the

Vacuum = Annotated[str, domains("vacuum")]
Mower = Annotated[str, domains("lawn_mower")]

STARTS, RETURNS = ("start", "on", "round"), ("return", "stop", "off")
VACUUM = Traits(about=("vacuum", "hoover", "robot", "cleaner"), only_one=True, directions=STARTS)
MOWER = Traits(
    about=("mower", "lawnmower", "lawn", "mow", "robot"), only_one=True, directions=STARTS
)

skill = Skill("home")


@skill.serve("HassVacuumStart", traits=VACUUM)
def start_vacuum(
    request: Request, context: Context, place: Place, name: Vacuum | None = None
) -> Dialog:
    """Start a vacuum cleaner."""
    wanted = TargetMention(name, place, "vacuum")
    if place.said and not find(wanted, request, context).entities:
        return (yield from clean_area(request, context, place, name))
    return (yield from _do(START, wanted, request, context))


@skill.serve("HassVacuumCleanArea", traits=Traits(about=VACUUM.about, needs_slot=True, placed=True))
@skill.short(
    "HassVacuumCleanArea",
    "send (him|her|it|[the|my] {name}) (round|around|over|to do) [the|my] {area}",
)
def clean_area(
    request: Request, context: Context, place: Place, name: Vacuum | None = None
) -> Dialog:
    """Ask whether to start a vacuum cleaner everywhere, as none can be sent to one room."""
    target = find(TargetMention(name, domain="vacuum"), request, context)
    robot = yield from one_of(target, context)
    if robot is None:
        return target.unknown
    question = f"I can only start {the(robot)} for the whole home. Shall I?"
    if not (yield Confirm(question)):
        return LEFT
    undo = bring(context, robot, START.state)
    return Reply(f"I {START.did.format(the(robot))}.", undo=tuple(undo))


@skill.serve("HassVacuumReturnToBase", traits=msgspec.structs.replace(VACUUM, directions=RETURNS))
def send_vacuum_home(
    request: Request, context: Context, place: Place, name: Vacuum | None = None
) -> Dialog:
    """Send a vacuum cleaner back to its base."""
    return (yield from _do(SEND_HOME, TargetMention(name, place, "vacuum"), request, context))


@skill.serve("PauseVacuum", traits=msgspec.structs.replace(VACUUM, directions=PAUSE.directions))
def pause_vacuum(
    request: Request, context: Context, place: Place, name: Vacuum | None = None
) -> Dialog:
    """Let a vacuum cleaner wait where it is."""
    return (yield from _do(PAUSE, TargetMention(name, place, "vacuum"), request, context))


@skill.serve("HassLawnMowerStartMowing", traits=MOWER)
def start_mower(
    request: Request, context: Context, place: Place, name: Mower | None = None
) -> Dialog:
    """Start a lawn mower."""
    return (yield from _do(MOW, TargetMention(name, place, "lawn_mower"), request, context))


@skill.serve("HassLawnMowerDock", traits=msgspec.structs.replace(MOWER, directions=RETURNS))
def send_mower_home(
    request: Request, context: Context, place: Place, name: Mower | None = None
) -> Dialog:
    """Send a lawn mower back to its dock."""
    return (yield from _do(DOCK, TargetMention(name, place, "lawn_mower"), request, context))


def _do(action: Action, wanted: TargetMention, request: Request, context: Context) -> Dialog:
    target = find(wanted, request, context)
    robot = yield from one_of(target, context)
    if robot is None:
        return target.unknown
    undo = bring(context, robot, action.state)
    return Reply(f"I {action.did.format(the(robot))}.", undo=tuple(undo))
