"""The skills that run: built in, installed as wheels, or in folders; a faulty one is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import SkillError
from assistant.core.messages import Command
from assistant.core.speakable import GivenNames
from assistant.skill import Context, Dialog, Request, Skill, Traits
from assistant.skill.events import Event
from assistant.skill.manifest import SkillManifest
from assistant.skill.settings import BadSetting, read_settings
from skills import (
    alarms,
    calendar,
    clock,
    conversation,
    device,
    documents,
    home,
    jokes,
    music,
    news,
    planned,
    reminders,
    routines,
    sensors,
    sums,
    timer,
)
from skills.announcements import disturbing
from skills.boundary import Boundary
from skills.capabilities.bound import Bound, Capabilities
from skills.deadline import within
from skills.declined import UNFIT, declined
from skills.fixed import talk
from skills.fixed.unserved import NAME as UNSERVED
from skills.fixed.unserved import unserved
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from skills.isolation.package import GROUP
from skills.locale.sentences import with_package_locale
from skills.rights.guard import Guard

SETTINGS = "skills.settings"
GivenSettings = Mapping[str, Mapping[str, Any]]
LOAD_S = 30.0
"""Most seconds for the import of a skill, which may need a large library from a slow card.

Its process is started meanwhile, on a board that may be starting all else too.
"""
_MODULES = (
    *(clock, timer, home, planned, sums, jokes, disturbing, documents, conversation, talk),
    *(alarms, reminders, calendar, routines, music, news, sensors, device),
)
BUILT_IN: tuple[Skill, ...] = tuple(module.skill for module in _MODULES)


Served = Skill | IsolatedSkill


class Fault(msgspec.Struct, frozen=True):
    """Why the skill named or located `skill` does not run."""

    skill: str
    message: str


class SettingFault(msgspec.Struct, frozen=True):
    """Why a setting in `[skills.settings]` counts as not given; `setting` is its full name."""

    setting: str
    message: str


class Registry:
    """The skills by intent; `faults` says which were refused and why.

    `given` is the table `[skills.settings]`; `setting_faults` says what of it is not taken.
    """

    def __init__(self, given: GivenSettings = MappingProxyType({})) -> None:
        self.manifests: tuple[SkillManifest, ...] = ()
        self.faults: tuple[Fault, ...] = ()
        self.origins: dict[str, str] = {}
        """The name of the skill that was found at each place, such as a folder."""
        self.setting_faults: tuple[SettingFault, ...] = ()
        self._given = given
        self._settings: dict[str, Any] = {}
        self._owners: dict[str, Served] = {}
        self._skills: dict[str, Served] = {}
        self._capabilities: Capabilities | None = None
        self.guard = Guard()

    def use(self, capabilities: Capabilities, guard: Guard) -> None:
        """Give the skills what each has to itself, and set who decides what is allowed.

        Before, none may be called.
        """
        self._capabilities, self.guard = capabilities, guard
        guard.skill_of = self._skill_of

    @property
    def abilities(self) -> tuple[str, ...]:
        """What each skill can do, as a phrase that fits "I can …"."""
        return tuple(m.description for m in self.manifests if m.description)

    @property
    def foreign(self) -> tuple[SkillManifest, ...]:
        """The skills that are not built in."""
        known = {skill.name for skill in BUILT_IN} | {UNSERVED}
        return tuple(manifest for manifest in self.manifests if manifest.name not in known)

    @property
    def served(self) -> frozenset[str]:
        """The intents that the skills carry out."""
        return frozenset(self._owners)

    def without_talk(self, commands: Sequence[Command]) -> Sequence[Command]:
        """The commands without the small talk around them; where that is all, the last alone."""
        others = [one for one in commands if not self.is_talk(one.intent)]
        return others or commands[-1:]

    def is_talk(self, intent: str) -> bool:
        """Whether an intent is small talk."""
        return self._owners.get(intent) is talk.skill

    def names(self, intent: str) -> bool:
        """Whether an intent gives something a name."""
        return bool(self._traits(intent).names)

    def at_once(self, intent: str) -> bool:
        """Whether an intent means only what is said, or done, just now."""
        traits = self._traits(intent)
        return traits.whole or traits.only_talk

    def declines(self, intent: str) -> bool:
        """Whether all that is done for an intent is to say that it cannot be done."""
        owner = self._owners.get(intent)
        return owner is not None and owner.name == UNSERVED

    def described(self) -> dict[str, Any]:
        """The skills that run and the faults of those that do not, as plain values."""
        return {
            "type": "Skills",
            "skills": [
                {
                    "name": manifest.name,
                    "description": manifest.description,
                    "intents": sorted(_intents(manifest)),
                    "other_languages": list(manifest.other_languages),
                }
                for manifest in self.manifests
            ],
            "faults": [{"skill": f.skill, "message": f.message} for f in self.faults],
            "setting_faults": [
                {"setting": f.setting, "message": f.message} for f in self.setting_faults
            ],
        }

    def intents_of(self, name: str) -> tuple[str, ...]:
        """The intents that the skill `name` carries out."""
        return tuple(i for m in self.manifests if m.name == name for i in _intents(m))

    def settings_of(self, skill: str) -> dict[str, Any]:
        """The settings of a skill that are in force, as plain values."""
        values: dict[str, Any] = msgspec.to_builtins(self._settings.get(skill, {}))
        return values

    def asks(self, intent: str) -> bool:
        """Whether an intent only asks something."""
        return self._traits(intent).asks

    def can_wait(self, request: Request) -> bool:
        """Whether a request may be carried out at another time, and lacks nothing else."""
        skill, traits = self._owners.get(request.intent), self._traits(request.intent)
        at_once = traits.asks or traits.whole or traits.only_talk or traits.only_now
        return skill is not None and not at_once and skill.untaken(request) == ("when",)

    def rehearses(self, intent: str) -> bool:
        """Whether an intent acts through its context alone, so that all of it can be taken back."""
        owner = self._owners.get(intent)
        if isinstance(owner, IsolatedSkill):
            return not owner.reaches_out
        return owner in BUILT_IN

    def warm(self) -> None:
        """Start what skills of others need, before one of them is called."""
        for owner in dict.fromkeys(self._owners.values()):
            if isinstance(owner, IsolatedSkill):
                owner.warm()

    def call(self, request: Request, context: Context, rights: Context | None = None) -> Dialog:
        """Carry out a request as a whole, or else reply that it cannot be carried out.

        The rights are those of the room of `rights`, by default of `context`. A fault of the skill
        is raised as a `SkillError` that names it.
        """
        skill = self._owners.get(request.intent)
        if skill is None:
            return declined(request)
        if untaken := skill.untaken(request):
            return declined(request, untaken[0])
        call = partial(self._served_by, skill, request, context)
        tries = self.rehearses(request.intent)
        who = rights or context
        return (yield from self.guard.request(request, skill.name, who, call, tries))

    def _served_by(self, skill: Served, request: Request, context: Context) -> Dialog:
        bound = self._bind(skill, context, self.asks(request.intent))
        try:
            with Boundary(f'skill "{skill.name}", intent {request.intent}', skill.name):
                return bound.reply((yield from skill.call(request, bound.context)))
        except SkillError as error:
            if error.code != "skill.value":
                raise
            return declined(request, UNFIT)

    def holds(self, request: Request, context: Context) -> bool:
        """Whether a short form means the request that it was read as, as its skill knows now."""
        skill = self._owners.get(request.intent)
        if skill is None:
            return False
        bound = self._bind(skill, context, True)
        with Boundary(f'skill "{skill.name}", intent {request.intent}', skill.name):
            return skill.holds(request, bound.context)

    def given_names(self, context: Context) -> GivenNames:
        """The names that there are now, of every built-in skill that has any."""
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for skill in self._skills.values():
            if isinstance(skill, Skill):
                with Boundary(f'skill "{skill.name}", given names', skill.name):
                    names = skill.names_now(self._bind(skill, context, True).context)
                found |= {skill.name: names} if any(names.values()) else {}
        return found

    def handle(self, skill: str, key: str, event: Event, context: Context) -> None:
        """Tell a handler of a skill; a fault is raised as a `SkillError` that names it."""
        found = self._skills[skill]
        bound = self._bind(found, context, False)
        where = f'skill "{skill}", handler {key.partition(" ")[0]}'
        with self.guard.unasked(context), Boundary(where, skill):
            found.handle(key, event, bound.context)

    def add(
        self,
        where: str,
        load: Callable[[], Served],
        disabled: Sequence[str] = (),
        module: str = "",
    ) -> None:
        """Load a skill and add it, or record its fault.

        `module` is where a skill in this process is from: its folder may hold further sentences.
        """
        try:
            with Boundary(where, tells=True):
                skill = within(LOAD_S, load)
                if skill.name not in disabled:
                    self._serve(skill, module)
                    self.origins[where] = skill.name
        except SkillError as error:
            self.faults += (Fault(where, error.message),)

    def refuse(self, name: str, message: str) -> None:
        """Remove the skill `name` because of the fault `message`."""
        self.manifests = tuple(m for m in self.manifests if m.name != name)
        self._owners = {i: skill for i, skill in self._owners.items() if skill.name != name}
        self.faults += (Fault(name, message),)

    def _skill_of(self, intent: str) -> str:
        owner = self._owners.get(intent)
        return owner.name if owner is not None else ""

    def _bind(self, skill: Served, context: Context, asks: bool) -> Bound:
        if self._capabilities is None:
            raise SkillError("skill.unbound", "the skills have no storage yet")
        opened = skill.open_tables if isinstance(skill, IsolatedSkill) else None
        settings = self._settings.get(skill.name)
        return self._capabilities.bound(skill, context, settings, asks, opened)

    def _traits(self, intent: str) -> Traits:
        schemas = (schema for manifest in self.manifests for schema in manifest.schemas)
        return next((one.traits for one in schemas if one.intent == intent), Traits())

    def _serve(self, skill: Served, module: str) -> None:
        manifest = skill.manifest()
        if module:
            manifest = with_package_locale(manifest, module)
        for intent in _intents(manifest):
            if owner := self._owners.get(intent):
                message = f'skill "{skill.name}": intent {intent} is "{owner.name}"\'s'
                raise SkillError("skill.taken", f"{message}; disable one of the two")
        if isinstance(skill, IsolatedSkill):
            self._settings[skill.name] = skill.settings
            self._refuse(skill.name, skill.bad_settings)
        elif skill.settings is not None:
            self._configure(skill.name, skill.settings)
        self._owners |= dict.fromkeys(_intents(manifest), skill)
        self._skills[skill.name] = skill
        self.manifests += (manifest,)

    def _configure(self, skill: str, kind: type[msgspec.Struct]) -> None:
        self._settings[skill], bad = read_settings(kind, self._given.get(skill, {}))
        self._refuse(skill, bad)

    def _refuse(self, skill: str, bad: Iterable[BadSetting]) -> None:
        where = f"{SETTINGS}.{skill}"
        self.setting_faults += tuple(
            SettingFault(f"{where}.{b.name}" if b.name else where, b.message) for b in bad
        )

    def refuse_settings(self, disabled: Sequence[str] = ()) -> None:
        """Record the settings of skills that there are not, or that have none."""
        have = {manifest.name for manifest in self.manifests if manifest.settings}
        for skill in self._given:
            if skill not in have and skill not in disabled:
                told = "no skill of that name runs and has settings"
                told += f"; {did_you_mean(skill, have)}" if have else ""
                self.setting_faults += (SettingFault(f"{SETTINGS}.{skill}", told),)


def _intents(manifest: SkillManifest) -> dict[str, None]:
    """The intents that a skill carries out, each once, in its order."""
    return dict.fromkeys(schema.intent for schema in manifest.schemas)


def load_registry(
    folders: Iterable[Path] = (),
    builtin: bool = True,
    disabled: Sequence[str] = (),
    settings: GivenSettings = MappingProxyType({}),
    host: Host | None = None,
) -> Registry:
    """Every skill that can run; without `builtin` only those of `folders`, which `host` starts.

    `settings` is the table `[skills.settings]`: skill → setting → value.
    """
    registry, host = Registry(settings), host or Host()
    if builtin:
        for module, skill in zip(_MODULES, BUILT_IN, strict=True):
            registry.add(skill.name, lambda skill=skill: skill, disabled, module.__name__)  # type: ignore[misc]
        for point in entry_points(group=GROUP):
            registry.add(
                point.name,
                lambda point=point: _checked(point.load(), point.value),  # type: ignore[misc]
                disabled,
                point.module,
            )
    for folder in folders:
        registry.add(str(folder), lambda folder=folder: host.load(folder, settings), disabled)  # type: ignore[misc]
    if builtin:
        registry.add(UNSERVED, lambda: unserved(registry.served), disabled)
    registry.refuse_settings(disabled)
    host.close()  # until one of them is called
    return registry


def _checked(found: Any, where: str) -> Skill:
    if not isinstance(found, Skill):
        raise SkillError("skill.entry_point", f"{where} is no Skill")
    return found
