"""A version of a model on trial: which utterances it reads, and whether it then takes them all.

The version reads a share of the utterances beside the one in use. The utterances of both that a
model had a part in are counted, and compared at `LOOKS` moments, the last of them the end. The
version goes back where one of these is so of far more of its utterances than of the other's:

| flaw   | an utterance has it that                                                     |
|--------|------------------------------------------------------------------------------|
| failed | was not understood, was asked back about, or was put right by the user after |
| slow   | took longer to understand than `SLOW_S`                                      |

"Far more" is `LEAST_RISE` more, and more than chance explains: by a two-proportion z-test whose
bound falls from look to look, as O'Brien and Fleming have it, so that five looks make hardly more
mistakes than one. What does not go back takes all at the end.
"""

from __future__ import annotations

import math
from enum import StrEnum
from hashlib import blake2b

import msgspec

LOOKS = 5
BOUND = 1.75
"""Least z at the last look, for one mistake in twenty with five looks at one flaw; earlier ones
need more."""
LEAST_RISE = 0.03
SLOW_S = 0.06
"""Seconds in which an utterance is to be understood."""
FEWEST = 30
"""Fewest utterances of a version that may take all."""
MOST_DAYS = 30.0
"""Days after which a trial ends with the utterances that it has."""

_WERE = {"failed": "failed", "slow": "were slow"}


class Tally(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The counted utterances that one version read; no words of theirs."""

    utterances: int = 0
    missed: int = 0
    """Those in which no command was understood."""
    asked: int = 0
    """Those about which the user was asked back."""
    corrected: int = 0
    """Those that were understood, and that the user then put right or took back."""
    misworded: int = 0
    """Those whose words were none that answer, or said what no source says."""
    slow: int = 0
    seconds: float = 0.0
    """Time that understanding them took, in all."""
    confidence: float = 0.0
    """Sum of the confidences of those in which a command was understood."""

    @property
    def failed(self) -> int:
        """The utterances that were not understood, or answered, as far as that is seen."""
        return self.missed + self.asked + self.corrected + self.misworded

    def plus(self, other: Tally) -> Tally:
        """The utterances of both."""
        pairs = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        sums = (one + more for one, more in pairs)
        return Tally(**dict(zip(self.__struct_fields__, sums, strict=True)))


class TrialSize(msgspec.Struct, frozen=True):
    """How much of what is asked a version is tried on."""

    share: float
    """The share that it works on."""
    utterances: int
    """How many are compared, of both versions."""


class Outcome(StrEnum):
    """How a trial stands, or has ended."""

    RUNNING = "running"
    TAKEN = "taken"
    BACK = "went back"
    STOPPED = "stopped"


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome, with the reason in words."""

    outcome: Outcome
    reason: str = ""


def reads_new(trial: str, utterance_id: str, share: float) -> bool:
    """Whether the version on `trial` reads an utterance: so in `share` of them, by chance."""
    digest = blake2b(f"{trial}\n{utterance_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") < share * 2**64


def judge(old: Tally, new: Tally, most: int, days: float = 0.0) -> Verdict:
    """Compare the version in use and the one on trial, of `most` utterances in `days` so far.

    Call it after each utterance that is counted.
    """
    counted, step = old.utterances + new.utterances, max(1, most // LOOKS)
    ended = counted >= most or days >= MOST_DAYS
    if not ended and counted % step:
        return Verdict(outcome=Outcome.RUNNING)
    bound = BOUND if ended else BOUND / math.sqrt(counted / most)
    for flaw in _WERE:
        of_new, of_old = (getattr(tally, flaw) for tally in (new, old))
        if _is_worse(of_old, old.utterances, of_new, new.utterances, bound):
            return Verdict(outcome=Outcome.BACK, reason=_beside(of_new, new, of_old, old, flaw))
    if not ended:
        return Verdict(outcome=Outcome.RUNNING)
    if min(old.utterances, new.utterances) < FEWEST:
        reason = f"too little was said: {new.utterances} and {old.utterances} utterances"
        return Verdict(outcome=Outcome.BACK, reason=reason)
    reason = _beside(new.failed, new, old.failed, old, "failed")
    return Verdict(outcome=Outcome.TAKEN, reason=reason)


def _is_worse(old: int, of_old: int, new: int, of_new: int, bound: float) -> bool:
    """Whether a flaw is that much more frequent in the new version's utterances."""
    if not of_old or not of_new:
        return False
    rise, likely = new / of_new - old / of_old, (old + new) / (of_old + of_new)
    deviation = math.sqrt(likely * (1 - likely) * (1 / of_old + 1 / of_new))
    return rise >= LEAST_RISE and rise >= bound * deviation


def _beside(of_new: int, new: Tally, of_old: int, old: Tally, flaw: str) -> str:
    with_other = f"with the other {of_old} of {old.utterances}"
    return f"{of_new} of its {new.utterances} utterances {_WERE[flaw]}, {with_other}"
