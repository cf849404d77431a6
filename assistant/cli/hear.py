"""`assistant hear`: runs the chain on recordings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from assistant.cli.shared.conversation import Timings, answering, tell, temporary_config
from assistant.composition import Composition
from assistant.core.messages import Frame, Message, PlaybackEnded, SpokenReply
from assistant.core.stage import Stage
from assistant.pipeline import run
from audio.frames import FRAME_S, SILENCE, frames_of
from skills.state import open_state

SILENCE_BEFORE_S = 1.0
"""Seconds of silence before a recording, in which wake word engine and VAD settle: it may begin
with its first word."""
SILENCE_AFTER_S = 6.0
"""Seconds of silence after a recording, in which an utterance, or the wait for one, ends."""


def hear(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="FLAC or WAV, any rate.")],
    no_wake: Annotated[bool, typer.Option("--no-wake", help="All that is spoken counts.")] = False,
    skill: Annotated[list[Path] | None, typer.Option(help="A folder with a further skill.")] = None,
    home: Annotated[Path | None, typer.Option(help="YAML file of areas and devices.")] = None,
    documents: Annotated[
        Path | None, typer.Option(help="A file or folder to answer questions from.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the defaults.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Play FILEs to a fresh assistant, each as a separate conversation, and show what it does."""
    for file in files:
        next(frames_of(file), None)  # a file that is not a recording is refused before the start
    settings = temporary_config(skill, home, config)
    composition = Composition(settings)
    recognition, understanding = composition.asr(), composition.nlu()
    with answering(settings, documents) as answers:
        for file in files:
            timings = Timings()
            with closing(open_state(None)) as state:
                stages: tuple[Stage, ...] = (
                    composition.listener(wake=not no_wake),
                    recognition,
                    understanding,
                    composition.skills(state),
                    composition.answer(answers=answers),
                    Voice(),
                )
                messages = list(run(stages, in_silence(frames_of(file)), timings.observe))
            tell(str(file), messages, timings, json)


def in_silence(frames: Iterable[bytes]) -> Iterator[Message]:
    """The frames with silence before and after them, as they would come from a microphone."""
    every = chain(_silence(SILENCE_BEFORE_S), frames, _silence(SILENCE_AFTER_S))
    for number, samples in enumerate(every, 1):
        yield Frame(samples=samples, at_s=number * FRAME_S)


def _silence(seconds: float) -> Iterator[bytes]:
    return repeat(SILENCE, round(seconds / FRAME_S))


class Voice:
    """Takes the place of voice and playback: a reply takes no time."""

    consumes: ClassVar[tuple[type[Message], ...]] = (SpokenReply,)

    def feed(self, message: Message) -> Iterator[Message]:
        if isinstance(message, SpokenReply):
            yield PlaybackEnded(utterance_id=message.utterance_id, listen=message.listen)

    def deadline_s(self) -> float | None:
        return None
