"""How many spoken commands are understood, clean and in noise."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from assistant.control.metrics import percentile
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    AudioChunk,
    Command,
    Interpretation,
    Message,
    Slot,
    Transcript,
    Utterance,
)
from assistant.core.stage import Stage
from assistant.evaluation.clips import Clip, ClipLabel, sound_of
from assistant.evaluation.noise import Noise
from assistant.pipeline import run
from audio.frames import Samples

CLEAN = "clean"
CHUNK_SAMPLES = 2560
CHUNK_S = CHUNK_SAMPLES / SAMPLE_RATE_HZ


class Milliseconds(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds at the median, and at the 95th percentile."""

    p50: float
    p95: float


class CommandFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Share of accepted clips, from 0 to 1, by condition: "clean", or the SNR in dB.

    A clip is accepted when one command was understood, with the right intent and exactly the
    labelled slots. `asr_ms` is how long after the last chunk of sound the transcript came, if the
    chunks had come in real time.
    """

    clips: int
    acceptance: dict[str, float]
    asr_ms: Milliseconds
    engine: str


def evaluate_commands(
    clips: Sequence[Clip[ClipLabel]],
    asr: Stage,
    nlu: Stage,
    noise: Samples | None = None,
    snrs_db: Mapping[str, float] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> CommandFigures:
    """Transcribe and interpret every clip, clean and at each SNR (its name → dB)."""
    conditions: dict[str, float | None] = {CLEAN: None, **(snrs_db or {})}
    accepted = dict.fromkeys(conditions, 0)
    left_s: list[float] = []
    engines: set[str] = set()
    for condition, snr_db in conditions.items():
        # At each SNR, a clip has the same part of the noise under it.
        noisy = _mixer(noise, snr_db)
        for clip in clips:
            transcript, seconds = transcribe(asr, noisy(sound_of(clip.path)))
            accepted[condition] += accepts(_interpret(nlu, transcript), clip.label)
            engines.add(transcript.engine)
            left_s.append(seconds)
            progress(len(left_s), len(conditions) * len(clips))
    return CommandFigures(
        clips=len(clips),
        acceptance={name: right / len(clips) for name, right in accepted.items()},
        asr_ms=Milliseconds(
            p50=round(percentile(left_s, 0.50) * 1000, 1),
            p95=round(percentile(left_s, 0.95) * 1000, 1),
        ),
        engine="+".join(sorted(engines - {""})),
    )


def _mixer(noise: Samples | None, snr_db: float | None) -> Callable[[Samples], Samples]:
    if noise is None or snr_db is None:
        return lambda speech: speech
    mixer = Noise(noise)
    return lambda speech: mixer.under(speech, snr_db)


def transcribe(
    asr: Stage,
    sound: Samples,
    clock: Callable[[], float] = time.perf_counter,
    follows: str = "",
    unasked: bool = False,
) -> tuple[Transcript, float]:
    """The transcript, and how many seconds after the last sound it would have come in real time.

    A chunk is processed once it has come and the one before is done: what an engine does while the
    person speaks costs nothing, unless it cannot keep up. What is said `follows` that question, or
    is `unasked`.
    """
    done_s = 0.0
    for message, came_s in _spoken(sound, follows, unasked):
        began_s = clock()
        outputs = list(asr.feed(message))
        done_s = max(done_s, came_s) + clock() - began_s
    transcript = next(m for m in outputs if isinstance(m, Transcript))
    return transcript, done_s - came_s


def _spoken(sound: Samples, follows: str, unasked: bool) -> Iterator[tuple[Message, float]]:
    """The listener's messages for one utterance, each with the second at which it comes."""
    chunks = [sound[at : at + CHUNK_SAMPLES] for at in range(0, len(sound), CHUNK_SAMPLES)]
    length_s = len(sound) / SAMPLE_RATE_HZ
    utterance_id = uuid.uuid4().hex  # with the same id it would count as part of the last one
    for number, chunk in enumerate(chunks):
        came_s = min((number + 1) * CHUNK_S, length_s)
        heard = AudioChunk(
            utterance_id=utterance_id,
            sequence=number,
            samples=chunk.tobytes(),
            follows=follows,
            unasked=unasked,
        )
        yield heard, came_s
    whole = Utterance(
        utterance_id=utterance_id,
        revision=0,
        wake_word="",
        duration_s=length_s,
        speech_s=length_s,
        speech_ended_at_s=length_s,
        unasked=unasked,
    )
    yield whole, length_s


def _interpret(nlu: Stage, transcript: Transcript) -> Sequence[Command]:
    messages = run([nlu], [transcript])
    return next(m for m in messages if isinstance(m, Interpretation)).commands


def accepts(commands: Sequence[Command], label: ClipLabel) -> bool:
    """Whether exactly the labelled command was understood; words are compared case-folded."""
    if len(commands) != 1 or commands[0].intent != label.intent:
        return False
    slots = {slot.name: slot for slot in commands[0].slots}
    return slots.keys() == label.slots.keys() and all(
        _words(value) in _readings(slots[name]) for name, value in label.slots.items()
    )


def _readings(slot: Slot) -> tuple[list[str], ...]:
    # A label holds words: of a resolved value, such as a duration's seconds, the spoken ones.
    return _words(slot.raw), _words(slot.value)


def _words(value: object) -> list[str]:
    return str(value).casefold().split()
