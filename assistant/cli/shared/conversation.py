"""Shared by `hear` and `say`: temporary settings, stage times, and printing an exchange."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

import msgspec
from rich.markup import escape

from assistant.answer.answers import DocumentAnswers
from assistant.cli.shared.output import console, emit, progress
from assistant.core.codec import as_json
from assistant.core.config import AsrSettings, Config, load_config
from assistant.core.errors import InputError
from assistant.core.messages import Message
from assistant.core.models.manifest import Library
from assistant.core.settings.skills import SkillsSettings
from assistant.core.stage import Stage
from assistant.documents.local import consult
from assistant.outcome import Outcome, summarise
from assistant.supervision.settings import check_settings
from skills.isolation.host import all_granted

RECOGNISERS = ("auto", "whisper", "pocketsphinx")


class Timings:
    """The milliseconds that each stage has taken."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)

    def observe(self, stage: Stage, seconds: float) -> None:
        """Add the seconds that one message took."""
        self._seconds[type(stage).__name__.removesuffix("Stage").lower()] += seconds

    def milliseconds(self) -> dict[str, float]:
        """The milliseconds of each stage so far."""
        return {stage: round(seconds * 1000, 2) for stage, seconds in self._seconds.items()}


def temporary_config(
    skills: Sequence[Path] | None, home: Path | None, settings: Path | None = None
) -> Config:
    """The defaults, or `settings`, with these skills and this home, without the daemon's state.

    The skills are granted whatever they ask for.

    Raises `InputError` for a folder that is not there, and `ConfigError`.
    """
    for folder in skills or ():
        if not folder.is_dir():
            raise InputError("skill.missing", f"{folder}: there is no such folder")
    config, _ = load_config((settings,) if settings is not None else ())
    if skills:
        folders = tuple(str(folder) for folder in skills)
        # Nothing real can be harmed here, so what they ask for needs no further word.
        tried = SkillsSettings(
            folders=folders, settings=config.skills.settings, grants=all_granted(skills)
        )
        config = msgspec.structs.replace(config, skills=tried)
    if home is not None:
        there = msgspec.structs.replace(config.home, file=str(home))
        config = msgspec.structs.replace(config, home=there)
    return check_settings(config)


def heard_by(engine: str, config: Config) -> Config:
    """The settings with this recogniser; raises `InputError` where its model is not here."""
    if engine not in RECOGNISERS:
        message = f'--engine "{engine}" is none of {", ".join(RECOGNISERS)}'
        raise InputError("eval.engine", message)
    model = config.asr.model
    if engine == "whisper" and not Library(config.models_dir).present(model):
        message = f"{model} is not here, so nothing is measured; run: assistant models pull {model}"
        raise InputError("eval.no_model", message)
    return msgspec.structs.replace(config, asr=AsrSettings(engine=engine))


@contextmanager
def answering(
    config: Config, documents: Path | None, now: Callable[[], datetime] | None = None
) -> Iterator[DocumentAnswers | None]:
    """Answers from the file or folder `documents`, read into memory; None without documents.

    `now` gives another aware time than the clock's.
    """
    if documents is None:
        yield None
        return
    with ExitStack() as open_things:
        with progress("reading documents") as told:
            answers = open_things.enter_context(consult(config, documents, told, now))
        yield answers


def tell(given: str, messages: Sequence[Message], timings: Timings, as_lines: bool) -> Outcome:
    """Print one input's exchange: every message as JSON, or a short form for people."""
    summary = summarise(given, messages, timings.milliseconds())
    if as_lines:
        for message in messages:
            emit(as_json(message))
        emit(summary)
        return summary
    heard = "" if given == summary.transcript else f": {summary.transcript or '(nothing was said)'}"
    console.print(f"[bold]{escape(given)}[/]{escape(heard)}")
    for command in summary.commands:
        slots = ", ".join(f"{name} = {value}" for name, value in command.slots.items())
        console.print(f"  {command.intent}({slots})", style="cyan", markup=False)
    if summary.reply:
        console.print(f"  “{summary.reply}”", style="green", markup=False)
    spent = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in summary.timings_ms.items())
    console.print(f"  {spent}", style="dim", markup=False)
    return summary
