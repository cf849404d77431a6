"""`assistant demo`: a spoken exchange with the real daemon, with its stage times."""

from __future__ import annotations

import select
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import soundfile
import typer
from rich.table import Table

from assistant.cli.shared.output import console, emit, errors
from assistant.control.metrics import Stopwatch, Times, figures, times
from assistant.core.codec import as_json
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.messages import (
    BargeIn,
    DeviceChanged,
    Interpretation,
    Level,
    Message,
    PlaybackEnded,
    Speech,
    SpokenReply,
    StageFailed,
    Transcript,
    Woke,
)
from assistant.demo.performance import answered, begun, daemon
from assistant.demo.story import STORY, StoryLine
from assistant.outcome import summarise
from audio.frames import frames_of
from audio.playback import Playback

HOME = Path(__file__).parent.parent / "demo" / "home.yaml"
NEXT = """What to try next:
  assistant say "turn off the kitchen light"   the same chain on text
  assistant demo --file RECORDING.wav          your own voice
  make run                                     speak to it: "computer, what time is it"
  assistant doctor                             what this machine has, and what to mend"""
PLAYING_S = 30.0


def demo(
    file: Annotated[list[Path] | None, typer.Option(help="Your own recording instead.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the replies' sound.")] = Path("demo-output"),
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Speak to the real daemon, its sound card replaced by files, and show what it does."""
    for given in file or ():
        next(frames_of(given), None)  # a file that is not a recording is refused before the start
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{out}: {error.strerror}; name another folder by --out"
        raise InputError("demo.folder", message) from error
    show = _Json() if json else _Screen(out)
    models = load_config(config_files(None))[0].models_dir
    with tempfile.TemporaryDirectory(prefix="hark-demo-") as name:
        folder = Path(name)
        errors.print("Starting the daemon: `assistant run`, its stages as separate processes …")
        with daemon(folder, out, HOME, models) as running:
            for said, frames, cut in _exchanges(file or []):
                over = begun if cut else answered()
                show.exchange(said, running.converse(frames, over, _said_again))
    show.close()


def _exchanges(files: list[Path]) -> Iterator[tuple[str, list[bytes], bool]]:
    """For each exchange what is said, its sound, and whether it ends when the reply begins."""
    for file in files:
        yield str(file), list(frames_of(file)), False
    for line in () if files else STORY:
        yield line.spoken, list(frames_of(line.recording)), _cut(line)


def _cut(line: StoryLine) -> bool:
    """Whether the next line is spoken during the reply to this one."""
    following = STORY[STORY.index(line) + 1 :]
    return bool(following and following[0].over)


def _said_again() -> None:
    errors.print("     (the wake word was missed, so it is said again)", style="dim")


class _Json:
    """Output for programs: every message, and a Summary for each input."""

    def exchange(self, given: str, messages: Iterator[Message]) -> None:
        kept = []
        for message in messages:
            kept.append(message)
            emit(as_json(message))
        spent = {stage: round(s * 1000, 1) for stage, s in (times(kept) or {}).items()}
        emit(summarise(given, kept, spent))

    def close(self) -> None:
        """Nothing follows the last Summary."""


class _Screen:
    """Output for people: each exchange as it happens, and a table at the end."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._loudspeaker = Playback("default")
        self._stopwatch = Stopwatch()
        self._measured: list[Times] = []

    def exchange(self, given: str, messages: Iterator[Message]) -> None:
        console.print(f"\n[bold]you  “{given}”[/]")
        for message in messages:
            self._show(message)
            if (spent := self._stopwatch.observe(message)) is not None:
                self._measured.append(spent)

    def close(self) -> None:
        table = Table(title="From the end of speech to the first sound of the reply")
        for column in ("stage", "utterances", "median ms", "95 % within ms"):
            table.add_column(column, justify="left" if column == "stage" else "right")
        for row in figures(self._measured):
            table.add_row(row.stage, str(row.utterances), f"{row.p50_ms}", f"{row.p95_ms}")
        console.print()
        console.print(table)
        console.print(f"The replies' sound lies in {self._out}/.\n\n{NEXT}", markup=False)

    def _show(self, message: Message) -> None:
        match message:
            case Woke():
                self._line("wake word", message.wake_word or "(none needed: it had asked)")
            case Transcript():
                self._line("transcript", message.text or "(nothing was said)")
            case Interpretation(commands=commands):
                for command in commands:
                    slots = ", ".join(f"{s.name} = {s.value}" for s in command.slots)
                    self._line("intent", f"{command.intent}({slots})")
            case SpokenReply():
                self._line("action", _action(message))
                self._line("reply", f"“{message.text}”", style="green")
            case BargeIn():
                self._line("barge-in", "the reply stops")
            case PlaybackEnded(utterance_id=utterance_id):
                self._play(self._out / f"{utterance_id}.wav")
            case StageFailed() | DeviceChanged():
                self._line("fault", f"{message}", style="red")
            case Level():
                pass

    def _play(self, file: Path) -> None:
        """Play a reply aloud; without a loudspeaker this returns at once."""
        if not file.is_file():
            return
        samples, rate_hz = soundfile.read(file, dtype="int16")
        self._loudspeaker.play(
            Speech(
                utterance_id=file.stem,
                sequence=0,
                samples=samples.tobytes(),
                rate_hz=rate_hz,
                text="",
                last=True,
            )
        )
        while select.select([self._loudspeaker], [], [], PLAYING_S)[0]:
            if any(isinstance(news, PlaybackEnded) for news in self._loudspeaker.read()):
                return

    def _line(self, label: str, text: str, style: str = "cyan") -> None:
        console.print(f"     [dim]{label:<11}[/]", end="")
        console.print(text, style=style, markup=False)


def _action(reply: SpokenReply) -> str:
    if reply.acted:
        return "done, and written to disk before it is said"
    if reply.listen:
        return "none yet: it asks"
    return "none: an answer" if reply.done else "none: it says so"
