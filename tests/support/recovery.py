"""Stories of a stage that fails in mid-utterance: it is noticed, mended and told."""

from __future__ import annotations

import signal

from assistant.core.layout import MEMBERS
from tests.support.scenario import Expect, Kill, Rest, SayMeanwhile, Step, served

HEARING = ("audio", "asr")
UNDERSTANDING = ("nlu", "skills")
REPLYING = ("answer", "voice")
CONTROL = ("control",)
"""Stages by what they do; the stories of each have a file of their own, so that they run side by
side."""

assert sorted(HEARING + UNDERSTANDING + REPLYING + CONTROL) == sorted(MEMBERS)

FAILURES = {"killed": signal.SIGKILL, "hung": signal.SIGSTOP}


def recovery(stage: str, failure: str) -> list[Step]:
    """The stage fails in mid-utterance, is restarted, and the next utterance is served in full."""
    return [
        SayMeanwhile("computer, what can you do and what is the time"),
        Expect("Woke"),
        Kill(stage, FAILURES[failure]),
        _told(stage),
        # The apology, or in the way of a reply, what the user hears next.
        Expect("PlaybackEnded", {"utterance_id": "notice"}, within_s=30),
        # Whoever goes on at once speaks into the same utterance.
        Rest(),
        *served("on" if failure == "killed" else "off"),
    ]


def _told(stage: str) -> Step:
    if stage == "control":  # whoever watches joins its successor a moment after that was told
        return Expect("Status", within_s=30)
    return Expect("StageRestarted", {"stage": stage}, within_s=30)
