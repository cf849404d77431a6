"""Sentences of every intent, and answers, in synthetic voices: whether they are heard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from pathlib import Path

import msgspec
import numpy as np
import soundfile

from assistant.core.messages import Asked, Message, Slot
from assistant.core.stage import Stage
from assistant.english.replies import SPOKEN_NO, SPOKEN_YES
from assistant.evaluation.clips import Clip, SentenceLabel, sound_of
from assistant.evaluation.commands import transcribe
from assistant.evaluation.rejects import Hear
from assistant.evaluation.spoken import Misheard
from assistant.pipeline import typed
from assistant.skill.manifest import SlotSchema
from assistant.skill.reply import Confirm
from assistant.skill.signature import schema_of
from audio.tts.flite import PATIENCE_S, Flite
from nlu.text.canonical import canonical
from skills.likely import likely_answers

_QUIET_S = 0.3
"""Seconds of silence before and after a sentence, as after a wake word."""


_QUESTION = "question"
_NAMES = {True: "yes", False: "no", None: "nothing"}


class RepliesFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the spoken answers, from 0 to 1: heard as what they mean, as the opposite, not."""

    replies: int
    right: float
    reversed: float
    lost: float
    engine: str


def spoken_examples(
    examples: Mapping[str, Sequence[str]], each: int, voices: Sequence[str], folder: Path
) -> list[Clip[SentenceLabel]]:
    """Up to `each` sentences of every intent, recorded into `folder` by flite's voices in turn.

    They are spread from an intent's plainest sentence to its longest. Raises `SpeakingError` where
    there is no flite.
    """
    speakers = {voice: Flite(voice, PATIENCE_S) for voice in voices}
    turn = cycle(voices)
    clips = []
    for intent, sentences in examples.items():
        for number, text in enumerate(_spread(sentences, each)):
            voice = next(turn)
            path = folder / f"{intent}-{number}.wav"
            _record(speakers[voice], text, path)
            clips.append(Clip(path, SentenceLabel(text, voice)))
    return clips


def in_voices(asr: Stage, voices: Sequence[str], folder: Path, unasked: bool = False) -> Hear:
    """Has lines spoken by flite's voices in turn, and recognised; `SpeakingError` without flite."""
    turn = cycle({voice: Flite(voice, PATIENCE_S) for voice in voices}.values())

    def hear(line: str, name: str, at_s: float) -> Iterable[Message]:
        path = folder / f"{name}.wav"
        _record(next(turn), line, path)
        transcript, _ = transcribe(asr, sound_of(path), unasked=unasked)
        said = msgspec.structs.replace(transcript, utterance_id=name, at_s=at_s)
        return said, typed(name, line, at_s)[1]

    return hear


def evaluate_replies(
    asr: Stage,
    resolve: Callable[[str, SlotSchema], Slot | None],
    voices: Sequence[str],
    folder: Path,
    misheard: Callable[[Misheard], None] = lambda one: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    asks: bool = True,
) -> RepliesFigures:
    """Speak every usual answer in every voice; `resolve` reads a text as an answer.

    Without `asks`, no question was put, which is the control. Raises `SpeakingError` where there is
    no flite.
    """
    if asks:
        question = Asked(utterance_id=_QUESTION, answers=likely_answers(Confirm("")))
        list(asr.feed(question))
    texts = dict.fromkeys((*SPOKEN_YES, *SPOKEN_NO))
    clips = [
        clip
        for voice in voices
        for clip in spoken_examples({voice: tuple(texts)}, len(texts), [voice], folder)
    ]
    schema = schema_of("answer", bool)
    right = reversed_ = 0
    engines = set()
    for number, clip in enumerate(clips):
        transcript, _ = transcribe(asr, sound_of(clip.path), follows=_QUESTION)
        engines.add(transcript.engine)
        label = clip.label.text or ""
        slot = resolve(transcript.text, schema)
        meant, heard = label in SPOKEN_YES, None if slot is None else bool(slot.value)
        right += heard is meant
        reversed_ += heard is not meant and heard is not None
        if heard is not meant:
            found = Misheard(
                clip=clip.path.stem,
                voice=clip.label.voice,
                label=label,
                transcript=transcript.text,
                understood=(_NAMES[heard],),
                wanted=(_NAMES[meant],),
            )
            misheard(found)
        progress(number + 1, len(clips))
    return RepliesFigures(
        replies=len(clips),
        right=right / len(clips),
        reversed=reversed_ / len(clips),
        lost=1.0 - (right + reversed_) / len(clips),
        engine="+".join(sorted(engines - {""})),
    )


def _record(voice: Flite, text: str, path: Path) -> None:
    sound = voice.synthesise(text)
    soundfile.write(path, np.pad(sound.pcm, round(_QUIET_S * sound.rate_hz)), sound.rate_hz)


def _spread(sentences: Sequence[str], each: int) -> list[str]:
    """`each` different sentences at even distances, the first among them."""
    different = list({canonical(sentence).text: sentence for sentence in sentences}.values())
    step = max(1.0, len(different) / each)
    return [different[int(n * step)] for n in range(min(each, len(different)))]
