"""Where the time goes between the end of speech and the first sound of the reply.

The real daemon hears commands in flite's voices, in real time; its own metrics time each stage.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from assistant.bench import understanding
from assistant.bench.rig import Rig, running_daemon
from assistant.bench.understanding import UnderstandingFigures
from assistant.control.metrics import STAGES, StageFigures, Times, figures
from assistant.control.metrics_store import read_times
from assistant.core.layout import METRICS_FILE
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import Samples, at_rate
from audio.tts.flite import PATIENCE_S, Flite

VOICES = ("slt", "rms", "awb", "kal16")
COMMANDS = (
    "what time is it",
    "set a timer for fifty minutes",
    "how long is left on the timer",
    "turn on the kitchen light",
    "what is the date today",
    "cancel all timers",
    "turn off the lights in the bedroom",
    "what can you do",
    "turn off the kitchen light",
    "order me a pizza",
)
"""Commands of different kinds; none asks back, and together they leave the state unchanged."""

USUAL_PATH = "[alerts]\nact = false\n"
"""Settings with which a slow machine takes no simpler path: the usual one is measured."""
HOME = """\
areas:
  - {name: Kitchen, id: kitchen}
  - {name: Bedroom, id: bedroom}
entities:
  - {name: Kitchen Light, id: light.kitchen, area: kitchen, state: "off"}
  - {name: Bedroom Light, id: light.bedroom, area: bedroom, state: "on"}
"""
REPLY_S = 20.0
LATE_S = 2.0
"""Seconds from the end of speech to the reply beyond which a turn counts as late."""
PAUSE_S = 1.0


class StagesFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds by stage: medians over `runs` of each run's percentiles.

    `utterances` were spoken, in all runs together; `understood` of them led to a command, and
    `replies` were heard, `late` of them more than `LATE_S` after the end of speech. One of
    `COMMANDS` is something that no skill can do. `action` is the time from the end of speech until
    the skills had done it, of all runs together; None without a reply. `understanding` was then
    timed by itself.
    """

    stages: tuple[StageFigures, ...]
    action: StageFigures | None
    late: int
    utterances: int
    understood: int
    replies: int
    runs: int
    understanding: UnderstandingFigures


def measure(
    runs: int,
    utterances: int,
    wake_word: str = "computer",
    progress: Callable[[int, int], None] = lambda done, total: None,
    cache: Path | None = None,
) -> StagesFigures:
    """Speak `utterances` commands in each of `runs` runs, each to a fresh daemon.

    `cache` may hold what an earlier start made.
    """
    spoken = [
        _spoken(f"{wake_word}, {COMMANDS[n % len(COMMANDS)]}", VOICES[n % len(VOICES)])
        for n in range(utterances)
    ]
    measured: list[tuple[StageFigures, ...]] = []
    turns: list[Times] = []
    seen: Counter[str] = Counter()
    for run in range(runs):
        with running_daemon(HOME, USUAL_PATH, cache) as rig:
            for number, sound in enumerate(spoken):
                seen.update(_exchange(rig, sound))
                progress(run * utterances + number + 1, runs * utterances)
            timed = read_times(rig.state_dir / METRICS_FILE)
            measured.append(figures(timed))
            turns += timed
    return StagesFigures(
        stages=medians(measured),
        action=until_done(turns),
        late=sum(turn["total"] > LATE_S for turn in turns),
        utterances=runs * utterances,
        understood=seen["understood"],
        replies=seen["replied"],
        runs=runs,
        understanding=understanding.measure(HOME, runs),
    )


def until_done(turns: Sequence[Times]) -> StageFigures | None:
    """The time of each turn from the end of speech until what was said was done; None for none."""
    done = [{"total": t["total"] - t["voice"] - t.get("answer", 0.0)} for t in turns]
    return msgspec.structs.replace(figures(done)[0], stage="action") if done else None


def medians(runs: Sequence[Sequence[StageFigures]]) -> tuple[StageFigures, ...]:
    """Each stage's figures as their median over the runs, in the order of the chain."""
    by_stage = {
        stage: [figure for run in runs for figure in run if figure.stage == stage]
        for stage in STAGES
    }
    return tuple(
        StageFigures(
            stage=stage,
            utterances=sum(f.utterances for f in found),
            p50_ms=round(statistics.median(f.p50_ms for f in found), 1),
            p95_ms=round(statistics.median(f.p95_ms for f in found), 1),
        )
        for stage, found in by_stage.items()
        if found
    )


def _spoken(text: str, voice: str) -> Samples:
    speech = Flite(voice, PATIENCE_S).synthesise(text)
    return at_rate(speech.pcm, speech.rate_hz, SAMPLE_RATE_HZ)


def _exchange(rig: Rig, sound: Samples) -> set[str]:
    """Speak, and wait until the reply was played; gives "understood" and "replied" where it
    happened."""
    outcome: set[str] = set()
    events = rig.control.follow("watch", REPLY_S)
    next(events)
    rig.play(sound)
    deadline_s = time.monotonic() + REPLY_S
    for event in events:
        if event["type"] == "Interpretation" and event["commands"]:
            outcome.add("understood")
        if event["type"] == "PlaybackEnded":
            outcome.add("replied")
            time.sleep(PAUSE_S)
            break
        # The level comes twice a second, so the deadline is looked at.
        if time.monotonic() > deadline_s:
            break
    return outcome
