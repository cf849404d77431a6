"""How many spoken short forms are understood where they are meant, and what talk is taken for one.

    python -m benchmarks.hearing.short_forms [--home HOME.yaml] [--voices slt,rms,awb,kal16]
                                     [--every 1] [--without] [--talk LINES] [--lines 40]

Each form is said by one of flite's voices in turn, some seconds after the command that it goes on
from. It is understood where the reply is the one to the same form typed. The limits were chosen on
other forms, in all of these voices. Talk is said after those commands, too, the wake word before
it: none of it may become an action. `--without` leaves the search of the short forms out, as the
control.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

import msgspec
import numpy as np

from assistant.cli.shared.conversation import RECOGNISERS, heard_by, temporary_config
from assistant.cli.shared.output import emit
from assistant.composition import Composition
from assistant.control.metrics import percentile
from assistant.core.messages import HomeCommand, Message, SpokenReply, Transcript
from assistant.core.stage import Stage
from assistant.evaluation.commands import transcribe
from assistant.evaluation.rejects import read_lines
from assistant.pipeline import run, typed
from audio.frames import Samples, at_rate
from audio.tts.flite import Flite
from skills.state import open_state

RATE_HZ = 16_000
APART_S, SOON_S = 10_000.0, 5.0
"""Seconds between two conversations, and from a command until what goes on from it."""
_QUIET = np.zeros(round(0.3 * RATE_HZ), np.int16)

FORMS: dict[str, tuple[str, ...]] = {
    "set the kitchen light to fifty percent": (
        *("off", "off again", "brighter", "a bit more", "more", "less", "too much", "not so much"),
        *("the bed light too", "the bedroom too", "office light as well", "and the office light"),
        *("only the bedroom", "undo", "turn it off", "now off", "back on", "a bit darker", "half"),
        *("red", "thirty", "the same in the office", "and in the bedroom"),
    ),
    "turn on the kitchen tv": (
        *("pause", "pause it", "louder", "quieter", "a bit louder", "off", "mute it", "next"),
        *("resume", "volume up", "carry on"),
    ),
    "open the office blinds": (
        *("close them", "shut them again", "halfway", "and the curtains", "the curtains too"),
        *("half", "down again", "close", "down"),
    ),
    "set a timer for ten minutes": (
        *("pause", "pause it", "hold it", "stop it", "cancel", "cancel it", "five more minutes"),
        *("another five minutes", "for another five minutes", "add two minutes"),
        *("take a minute off", "make it fifteen minutes", "how long", "is it nearly done"),
        *("twice as long", "start it again", "another one", "the same again"),
    ),
    "add milk to the shopping list": (
        *("and eggs", "and some bread too", "eggs too", "bread as well", "take it off again"),
        *("what else is on it", "read it out", "is coffee on it", "no not milk"),
        *("scrap the last one", "and also coffee"),
    ),
    "tell me a joke": ("another one", "one more", "another", "again"),
    "turn off all the lights at ten": ("cancel that", "scrap that"),
}
"""What a home understands, by the command that it goes on from."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One form or line of talk: what was heard, and what came of it."""

    after: str
    said: str
    voice: str
    heard: str
    others: tuple[str, ...]
    confidence: float
    reply: str
    wanted: str
    acted: bool
    ms: float


class Speakers:
    """Flite's voices in turn."""

    def __init__(self, voices: Sequence[str]) -> None:
        self._turn = cycle([(voice, Flite(voice)) for voice in voices])

    def __call__(self, text: str) -> tuple[str, Samples]:
        """The next voice, and the text in it, with a pause before and after."""
        voice, speaker = next(self._turn)
        made = speaker.synthesise(text)
        sound = at_rate(made.pcm, made.rate_hz, RATE_HZ)
        return voice, np.concatenate((_QUIET, sound, _QUIET))


def say(
    composition: Composition, asr: Stage, pairs: Sequence[tuple[str, str]], speak: Speakers
) -> Iterator[Said]:
    """Say the second of each pair after the first, which is typed, on fresh state."""
    nlu = composition.nlu()

    def after(first: str, name: str, at_s: float, said: Sequence[Message]) -> list[Message]:
        state = open_state(None)
        stages = (nlu, composition.skills(state))
        list(run(stages, typed(f"before {name}", first, at_s)))
        given = list(run(stages, said))
        state.close()
        return given

    for number, (first, text) in enumerate(pairs):
        voice, sound = speak(text)
        transcript, late_s = transcribe(asr, sound)
        at_s = 2 * APART_S * (number + 1)
        name = f"spoken {number}"
        heard = msgspec.structs.replace(transcript, utterance_id=name, at_s=at_s + SOON_S)
        commit = typed(name, heard.text, at_s + SOON_S)[1]
        given = after(first, name, at_s, (heard, commit))
        name, at_s = f"typed {number}", at_s + APART_S
        wanted = after(first, name, at_s, typed(name, text, at_s + SOON_S))
        yield _said(first, text, voice, heard, given, wanted, late_s)


def _said(
    first: str,
    text: str,
    voice: str,
    heard: Transcript,
    given: Sequence[Message],
    wanted: Sequence[Message],
    late_s: float,
) -> Said:
    replies = [message for message in given if isinstance(message, SpokenReply)]
    acted = any(reply.acted for reply in replies)
    return Said(
        after=first,
        said=text,
        voice=voice,
        heard=heard.text,
        others=heard.alternatives,
        confidence=heard.confidence,
        reply=" ".join(reply.text for reply in replies),
        wanted=" ".join(m.text for m in wanted if isinstance(m, SpokenReply)),
        acted=acted or any(isinstance(message, HomeCommand) for message in given),
        ms=round(1000 * late_s, 1),
    )


def main() -> None:
    """Say the forms, then the talk, and print each that went wrong and the counts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--home", type=Path, default=Path("../shared/data/home.yaml"))
    options.add_argument("--voices", default="slt,rms,awb,kal16")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--without", action="store_true")
    options.add_argument("--talk", type=Path, default=Path("tests/data/nlu/rejects.txt"))
    options.add_argument("--lines", type=int, default=40)
    options.add_argument("--engine", choices=RECOGNISERS, default="auto")
    given = options.parse_args()
    composition = Composition(heard_by(given.engine, temporary_config(None, given.home)))
    if given.without:
        composition.recognition.short_forms = None
    asr, speak = composition.asr(), Speakers(given.voices.split(","))
    forms = [(first, form) for first, some in FORMS.items() for form in some][:: given.every]
    right: defaultdict[str, list[bool]] = defaultdict(list)
    late: list[float] = []
    for one in say(composition, asr, forms, speak):
        late.append(one.ms)
        understood = one.reply == one.wanted != ""
        right[one.voice].append(understood)
        if not understood:
            emit(one)
    lines = read_lines(given.talk)[: given.lines]
    talk = [(first, line) for first, line in zip(cycle(FORMS), lines, strict=False)]
    acts = [one for one in say(composition, asr, talk, speak) if one.acted]
    for one in acts:
        emit(one)
    emit(
        {
            "forms": sum(map(len, right.values())),
            "understood": sum(map(sum, right.values())),
            "by_voice": {voice: f"{sum(some)} of {len(some)}" for voice, some in right.items()},
            "late_ms": {"p50": percentile(late, 0.5), "p95": percentile(late, 0.95)},
            "talk": len(talk),
            "actions": len(acts),
        }
    )


if __name__ == "__main__":
    main()
