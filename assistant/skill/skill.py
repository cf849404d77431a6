"""The decorator that turns typed functions into a skill, and the checks that it must pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import GeneratorType
from typing import Any, TypeVar

import msgspec

from assistant.core.errors import SkillError
from assistant.core.messages import Slot, SlotValue
from assistant.skill.context import Context, Request
from assistant.skill.events import Event, Handler, Trigger
from assistant.skill.manifest import IntentSchema, SkillManifest, Traits
from assistant.skill.reply import Ask, Choose, Dialog, Reply
from assistant.skill.settings import schemas_of
from assistant.skill.signature import arguments_of, convert, is_text, one_of, slots_of, spares
from assistant.skill.storage import TableMigration
from assistant.skill.template import read_template, unparsable

API = 1
"""The newest version of this interface that the assistant serves."""

Function = TypeVar("Function", bound=Callable[..., Any])


NamesNow = Callable[[Context], Sequence[str]]
"""Tells names that are known only as time goes on."""
Holds = Callable[[Request, Context], bool]
"""Whether a short form means the request that it was read as."""


class _IntentDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """The sentences of one `@skill.intent` line; `served` is true for a `@skill.serve` line.

    `short` is true for a `@skill.short` line, whose sentences count only where it `holds`.
    """

    intent: str
    sentences: tuple[str, ...]
    fixed: dict[str, str]
    function: Callable[..., Any]
    traits: Traits | None
    served: bool = False
    short: bool = False
    holds: Holds | None = None


class Skill:
    """A named set of intents, each a function with sentences; `description` fits "I can …".

    `settings` is a frozen Struct with defaults, filled from `[skills.settings.NAME]`. `migrations`
    make the SQLite tables of its own; each runs once, in order.
    """

    def __init__(
        self,
        name: str,
        *,
        api: int = API,
        description: str = "",
        settings: type[msgspec.Struct] | None = None,
        migrations: Sequence[TableMigration] = (),
    ) -> None:
        self.name = name
        self.api = api
        self.description = description
        self.settings = settings
        self.migrations = tuple(migrations)
        self._declarations: list[_IntentDeclaration] = []
        self._rules: dict[str, str] = {}
        self._defined_twice: set[str] = set()
        self._handlers: list[Handler] = []
        self._given: dict[str, NamesNow] = {}

    def rule(self, name: str, template: str) -> None:
        """Let `<name>` in this skill's sentences, in all its files, stand for `template`."""
        if self._rules.setdefault(name, template) != template:
            self._defined_twice.add(name)

    def intent(
        self,
        name: str,
        *sentences: str,
        fixed: Mapping[str, str] | None = None,
        traits: Traits | None = None,
    ) -> Callable[[Function], Function]:
        """Claim `sentences` (hassil's templates) for a function, with `fixed` slots.

        Several lines over one function may have the same name with other fixed slots; the `traits`
        of one apply to all. The function's docstring says what the intent does. Mistakes are found
        by `manifest`.
        """

        def register(function: Function) -> Function:
            declaration = _IntentDeclaration(
                intent=name,
                sentences=sentences,
                fixed=dict(fixed or {}),
                function=function,
                traits=traits,
            )
            # Lines over one function are applied from the bottom up; keep them as written.
            place = (n for n, d in enumerate(self._declarations) if d.function is function)
            self._declarations.insert(next(place, len(self._declarations)), declaration)
            return function

        return register

    def serve(self, *names: str, traits: Traits | None = None) -> Callable[[Function], Function]:
        """Carry out intents whose sentences are in the vocabulary, without sentences of the skill.

        Slots arrive by name, typed as the function's signature says, as for `intent`.
        """

        def register(function: Function) -> Function:
            self._declarations += (
                _IntentDeclaration(
                    intent=name,
                    sentences=(),
                    fixed={},
                    function=function,
                    traits=traits,
                    served=True,
                )
                for name in names
            )
            return function

        return register

    def short(
        self,
        name: str,
        *sentences: str,
        fixed: Mapping[str, str] | None = None,
        holds: Holds | None = None,
        traits: Traits | None = None,
    ) -> Callable[[Function], Function]:
        """Claim short forms of an intent: sentences that leave out what they are about.

        They are no examples for the models. With `holds`, which sees what the skill knows now, they
        mean the intent only where it returns true, and then come before all other readings.
        """

        def register(function: Function) -> Function:
            self._declarations.append(
                _IntentDeclaration(
                    intent=name,
                    sentences=sentences,
                    fixed=dict(fixed or {}),
                    function=function,
                    traits=traits,
                    short=True,
                    holds=holds,
                )
            )
            return function

        return register

    def given_names(self, slot: str) -> Callable[[NamesNow], NamesNow]:
        """Let a function tell the names that `slot` may be: of users, or of a library.

        So recognition hears sentences and short forms with them, from half a minute after they
        change. Only of built-in skills.
        """

        def register(function: NamesNow) -> NamesNow:
            self._given[slot] = function
            return function

        return register

    def names_now(self, context: Context) -> dict[str, tuple[str, ...]]:
        """The names that there are now, by the slot that they may be."""
        return {slot: tuple(names(context)) for slot, names in self._given.items()}

    def on(self, trigger: Trigger) -> Callable[[Function], Function]:
        """Call a function when this comes; it may take `event` and `context`, and gives nothing.

        Several lines over one function are several events.
        """

        def register(function: Function) -> Function:
            self._handlers.append(Handler(function=function, trigger=trigger))
            return function

        return register

    def handle(self, key: str, event: Event, context: Context) -> None:
        """Tell the handler of this key of an event; raises what it raises."""
        for handler in self._handlers:
            if handler.subscription.key == key:
                handler.call(event, context)

    def include(self, *parts: Skill) -> None:
        """Take over all that `parts` declare, for a skill written in several files."""
        for part in parts:
            self._declarations += part._declarations
            self._defined_twice |= part._defined_twice
            for name, template in part._rules.items():
                self.rule(name, template)
            self._handlers += part._handlers
            self._given |= part._given

    def manifest(self) -> SkillManifest:
        """The skill as a value; raises `SkillError` that names the skill, intents and faults."""
        faults = [f'skill "{self.name}": {fault}' for fault in self._faults()]
        if faults:
            raise SkillError("skill.invalid", "\n".join(faults))
        return SkillManifest(
            name=self.name,
            api=self.api,
            intents=tuple(self._schema(d) for d in self._declarations if not (d.served or d.short)),
            served=tuple(self._schema(d) for d in self._declarations if d.served),
            short=tuple(self._schema(d) for d in self._declarations if d.short),
            rules=dict(self._rules),
            description=self.description,
            settings=schemas_of(self.settings) if self.settings else (),
            subscriptions=tuple(handler.subscription for handler in self._handlers),
        )

    def untaken(self, request: Request) -> tuple[str, ...]:
        """The slots, and what else was added to a request, that its function cannot obey."""
        taken = slots_of(self._function(request.intent))
        same = (d for d in self._declarations if d.intent == request.intent)
        takes = next((d.traits for d in same if d.traits), Traits()).takes
        when = request.when
        added = {
            "excluded": bool(request.excluded),
            "when": when is not None,
            "lasting": when is not None and when.lasting is not None and "when" in takes,
        }
        return (
            *(name for name, there in added.items() if there and name not in takes),
            *(s.name for s in request.slots if s.value is not None and s.name not in taken),
        )

    def holds(self, request: Request, context: Context) -> bool:
        """Whether a short form means the request that it was read as; what has none always does."""
        conditions = [g.holds for g in self._declarations if g.intent == request.intent and g.holds]
        return not conditions or any(holds(request, context) for holds in conditions)

    def call(self, request: Request, context: Context) -> Dialog:
        """Run the request's intent, asking for what is missing; raises what the skill raises."""
        function = self._function(request.intent)
        values: dict[str, Any] = {"request": request, "context": context}
        for name, (annotation, schema) in slots_of(function).items():
            slot = request.slot(name)
            if slot is not None and slot.others:
                values[name] = yield self._which(slot, annotation, request, context)
            elif slot is not None and slot.value is not None:
                values[name] = self._value(slot.value, annotation, request, name, context)
            elif schema.required and spares(annotation, {s.name for s in request.slots}):
                values[name] = None
            elif schema.required:
                values[name] = yield Ask(schema.prompt, annotation)
        outcome = function(**arguments_of(function, values))
        if isinstance(outcome, GeneratorType):
            outcome = yield from outcome
        if not isinstance(outcome, Reply):
            where = f'skill "{self.name}", intent {request.intent}'
            raise SkillError("skill.reply", f"{where}: gave no Reply but {type(outcome).__name__}")
        return outcome

    def _function(self, intent: str) -> Callable[..., Any]:
        return next(d.function for d in self._declarations if d.intent == intent)

    def _schema(self, declaration: _IntentDeclaration) -> IntentSchema:
        schemas = (schema for _, schema in slots_of(declaration.function).values())
        given = (
            d.traits for d in self._declarations if d.intent == declaration.intent and d.traits
        )
        return IntentSchema(
            intent=declaration.intent,
            sentences=declaration.sentences,
            slots=tuple(s for s in schemas if s.name not in declaration.fixed),
            fixed=declaration.fixed,
            description=_first_line(declaration.function),
            traits=next(given, Traits()),
            conditional=declaration.holds is not None,
        )

    def _which(
        self, slot: Slot, annotation: Any, request: Request, context: Context
    ) -> Ask | Choose:
        """The question which of a slot's values was meant."""
        values = (slot.value, *slot.others)
        typed = (self._value(v, annotation, request, slot.name, context) for v in values)
        names = [context.say(value) for value in typed]
        question = f"Do you mean {', '.join(names[:-1])} or {names[-1]}?"
        if is_text(annotation):
            return Choose(question, tuple(names))
        return Ask(question, one_of(annotation, values))

    def _value(
        self, value: SlotValue, annotation: Any, request: Request, name: str, context: Context
    ) -> Any:
        home = context.home
        try:
            return convert(value, annotation, home.areas, home.entities, home.floors)
        except SkillError as error:
            where = f'skill "{self.name}", intent {request.intent}, slot {name}'
            raise SkillError(error.code, f"{where}: {error.message}") from error

    def _faults(self) -> Iterator[str]:
        if self.api > API:
            yield f"is written for api {self.api}, this assistant serves up to {API}; update it"
        if not self._declarations and not self._handlers:
            yield "has no intent"
        for handler in self._handlers:
            if fault := handler.fault():
                yield f"handler {handler.function.__name__}: {fault}"
        try:
            _ = schemas_of(self.settings) if self.settings is not None else ()
        except SkillError as error:
            yield error.message
        for rule, template in self._rules.items():
            if rule in self._defined_twice:
                yield f"rule <{rule}>: two templates have this name"
            if fault := unparsable(template):
                yield f"rule <{rule}>: {fault}"
        told = ""
        for intent in dict.fromkeys(d.intent for d in self._declarations):
            declarations = [d for d in self._declarations if d.intent == intent]
            file, line = _place(declarations[0].function)
            for fault in self._intent_faults(declarations):
                # A file's name is long, and most skills are one file: it is told once.
                where = f"line {line}" if file == told else f"{file}, line {line}"
                yield f"intent {intent}: {fault}{f' ({where})' if file else ''}"
                told = file

    def _intent_faults(self, declarations: list[_IntentDeclaration]) -> Iterator[str]:
        if len({d.function for d in declarations}) > 1:
            yield "is claimed by two functions"
            return
        if len({d.traits for d in declarations if d.traits}) > 1:
            yield "has two kinds of traits"
        try:
            slots = slots_of(declarations[0].function)
        except SkillError as error:
            yield error.message
            return
        spoken = set[str]()
        for declaration in declarations:
            spoken.update(declaration.fixed)
            yield from (
                f"fixed slot {n} is no parameter" for n in declaration.fixed if n not in slots
            )
            if not declaration.sentences and not declaration.served:
                yield "has no sentence"
            for sentence in declaration.sentences:
                named, fault = read_template(sentence, self._rules)
                yield from (fault,) if fault else ()
                spoken.update(named)
                yield from (
                    f'"{sentence}" names the slot {{{name}}}, which is no parameter'
                    for name in named
                    if name not in slots
                )
        for name, (_, schema) in slots.items():
            if schema.required and name not in spoken and not declarations[0].served:
                yield f'"{name}" is required, but no sentence says it; give it a default'


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").strip().partition("\n")[0]


def _place(function: Callable[..., Any]) -> tuple[str, int]:
    """The file of a function, and the line of its first decorator; "" for one not in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else ("", 0)
