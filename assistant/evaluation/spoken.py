"""How many spoken sentences are understood as they are when they are typed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise

import msgspec
from rapidfuzz.distance import Levenshtein

from assistant.core.database import Database
from assistant.core.messages import (
    Command,
    Interpretation,
    Message,
    SlotValue,
    Transcript,
)
from assistant.core.stage import Stage
from assistant.evaluation.clips import Clip, SentenceLabel, sound_of
from assistant.evaluation.commands import transcribe
from assistant.evaluation.rejects import APART_S, offence
from assistant.outcome import in_words
from assistant.pipeline import run, typed
from nlu.text.canonical import canonical
from skills.state import open_state

_DEGREES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)


class SpokenFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of `clips`; the shares are from 0 to 1, of the clips that have a sentence.

    `exact_transcripts` have just the words of the label, `wer` is the word error rate, and
    `right_interpretations` have the commands, with every slot, that the label's text has;
    `right_by_voice` is their share for each kind of voice, and `right_by_confidence` for each
    degree of the transcript's confidence, of which there are `clips_by_confidence`.
    `actions_on_rejects` counts the clips without a sentence that changed a state. `engine` names
    what recognised them.
    """

    clips: int
    exact_transcripts: float
    wer: float
    right_interpretations: float
    right_by_voice: dict[str, float]
    right_by_confidence: dict[str, float]
    clips_by_confidence: dict[str, int]
    actions_on_rejects: int
    engine: str


class Misheard(msgspec.Struct, frozen=True, kw_only=True):
    """A clip that was not understood as its label, or that acted although it has none."""

    clip: str
    voice: str
    label: str | None
    transcript: str
    understood: tuple[str, ...]
    wanted: tuple[str, ...]


def evaluate_spoken(
    clips: Sequence[Clip[SentenceLabel]],
    asr: Stage,
    nlu: Stage,
    skills: Callable[[Database], Stage],
    misheard: Callable[[Misheard], None] = lambda one: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SpokenFigures:
    """Transcribe every clip, and compare its words and its commands with the label's.

    Clips without a sentence go on to `skills` on fresh state. `misheard` receives each clip that
    was not right.
    """
    tally = _Tally()
    for number, clip in enumerate(clips):
        transcript, _ = transcribe(asr, sound_of(clip.path))
        tally.engines.add(transcript.engine)
        said = msgspec.structs.replace(transcript, at_s=APART_S * (2 * number + 1))
        if clip.label.text is None:
            found = _rejected(said, nlu, skills)
            tally.actions += found is not None
        else:
            found = _compared(said, clip.label.text, nlu, tally, clip.label.voice)
        if found is not None:
            named = {"clip": clip.path.stem, "voice": clip.label.voice}
            misheard(msgspec.structs.replace(found, **named))
        progress(number + 1, len(clips))
    return tally.figures(len(clips))


class _Tally:
    """What has been counted so far."""

    def __init__(self) -> None:
        self.exact = self.errors = self.words = self.actions = 0
        self.right: defaultdict[str, list[bool]] = defaultdict(list)
        self.believed: defaultdict[str, list[bool]] = defaultdict(list)
        self.engines: set[str] = set()

    def figures(self, clips: int) -> SpokenFigures:
        """The figures of so many clips."""
        every = [right for some in self.right.values() for right in some]
        return SpokenFigures(
            clips=clips,
            exact_transcripts=_share(self.exact, len(every)),
            wer=_share(self.errors, self.words),
            right_interpretations=_share(sum(every), len(every)),
            right_by_voice={v: _share(sum(r), len(r)) for v, r in sorted(self.right.items()) if v},
            right_by_confidence={
                d: _share(sum(r), len(r)) for d, r in sorted(self.believed.items())
            },
            clips_by_confidence={d: len(r) for d, r in sorted(self.believed.items())},
            actions_on_rejects=self.actions,
            engine="+".join(sorted(self.engines - {""})),
        )


def _degree(confidence: float) -> str:
    """The span of confidences in which one lies."""
    lower, upper = next(pair for pair in pairwise(_DEGREES) if confidence < pair[1])
    return f"{lower:.2f} to {min(upper, 1.0):.2f}"


def _share(some: int, every: int) -> float:
    return some / every if every else 0.0


def _compared(
    said: Transcript, label: str, nlu: Stage, tally: _Tally, voice: str
) -> Misheard | None:
    """Count a clip with a sentence; what was wrong with it, or None."""
    words, wanted_words = _words(said.text), _words(label)
    tally.exact += words == wanted_words
    tally.errors += Levenshtein.distance(words, wanted_words)
    tally.words += len(wanted_words)
    as_typed = typed(f"{said.utterance_id} label", label, said.at_s + APART_S)[0]
    understood, wanted = commands_of(nlu, said), commands_of(nlu, as_typed)
    # A label without a command is a question for the documents: it needs its own words.
    right = comparable(understood) == comparable(wanted) and bool(wanted or words == wanted_words)
    tally.right[voice].append(right)
    if said.text:
        tally.believed[_degree(said.confidence)].append(right)
    if right:
        return None
    return _misheard(said, label, [*map(in_words, understood)], [*map(in_words, wanted)])


def _rejected(said: Transcript, nlu: Stage, skills: Callable[[Database], Stage]) -> Misheard | None:
    """What a clip without a sentence did; None for nothing."""
    commit = typed(said.utterance_id, said.text, said.at_s)[1]
    with closing(open_state(None)) as state:
        found = offence(said.text, (said, commit), (nlu, skills(state)))
    return _misheard(said, None, found.intents, ()) if found is not None and found.acted else None


def _misheard(
    said: Transcript, label: str | None, understood: Sequence[str], wanted: Sequence[str]
) -> Misheard:
    return Misheard(
        clip="",
        voice="",
        label=label,
        transcript=said.text,
        understood=tuple(understood),
        wanted=tuple(wanted),
    )


def commands_of(nlu: Stage, said: Message) -> tuple[Command, ...]:
    """The commands of a text, or those that it has for the skill that knows their list."""
    return meant_by(next(m for m in run([nlu], [said]) if isinstance(m, Interpretation)))


def meant_by(interpretation: Interpretation) -> tuple[Command, ...]:
    """Its commands, or those that it has for the skill that knows their list."""
    return interpretation.commands or next(iter(interpretation.conditional), ())


def comparable(commands: Sequence[Command]) -> list[tuple[str, dict[str, SlotValue]]]:
    """What must be the same of commands that are the same."""
    return [(c.intent, {slot.name: slot.value for slot in c.slots}) for c in commands]


def _words(text: str) -> list[str]:
    return canonical(text).text.split()
