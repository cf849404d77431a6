"""Says the turns of a test by voice: flite speaks, and recognition hears."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np

from assistant.composition import Composition
from assistant.core.messages import SAMPLE_RATE_HZ, Message, Tick
from assistant.core.stage import Stage
from assistant.evaluation.commands import transcribe
from assistant.pipeline import typed
from assistant.skill_development.testing import Said, Say
from audio.frames import at_rate
from audio.tts.flite import PATIENCE_S, Flite
from skills.state import open_state

VOICE = "slt"
"""The voice of flite that speaks the tests."""
_QUIET_S = 0.3
"""Seconds of silence before and after a sentence, as after a wake word."""


def tell_names(composition: Composition, state: Path) -> None:
    """Have recognition expect the names that the skills know at the start, kept beside `state`."""
    with closing(open_state(state)) as database:
        list(composition.skills(database).feed(Tick()))


def by_voice(asr: Stage) -> Say:
    """Has turns spoken by flite and recognised by `asr`; raises `SpeakingError` without flite."""
    voice = Flite(VOICE, PATIENCE_S)

    def say(said: Said) -> Iterable[Message]:
        spoken = voice.synthesise(said.text)
        sound = at_rate(spoken.pcm, spoken.rate_hz, SAMPLE_RATE_HZ)
        whole = np.pad(sound, round(_QUIET_S * SAMPLE_RATE_HZ))
        transcript, _ = transcribe(asr, whole, follows=said.follows)
        heard = msgspec.structs.replace(transcript, utterance_id=said.utterance_id, at_s=said.at_s)
        return heard, typed(said.utterance_id, said.text, said.at_s)[1]

    return say
