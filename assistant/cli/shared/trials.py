"""A trial of a version of a model in words, for `assistant models trials`."""

from __future__ import annotations

from datetime import datetime

from assistant.core.models.trial import Outcome, Tally
from assistant.core.models.trial_file import Trial


def trial_lines(trial: Trial) -> str:
    """What was tried and how it ended, then a line for each of the two versions."""
    when = _day(trial.began_s) if trial.outcome is Outcome.RUNNING else _day(trial.ended_s)
    counted = trial.old.utterances + trial.new.utterances
    how = trial.reason or f"{counted} of {trial.utterances} utterances since {when}"
    told = {
        Outcome.RUNNING: f"is tried on {trial.share:.0%}: {how}",
        Outcome.TAKEN: f"took all on {when}: {how}",
        Outcome.BACK: f"went back on {when}: {how}",
        Outcome.STOPPED: f"was ended on {when}: {how}",
    }
    lines = (
        f"{trial.model} {trial.version} {told[trial.outcome]}",
        f"  {trial.version}: {_figures(trial.stage, trial.new)}",
        f"  {trial.before}: {_figures(trial.stage, trial.old)}",
    )
    return "\n".join(lines)


def _figures(stage: str, tally: Tally) -> str:
    if not tally.utterances:
        return "no utterances yet"
    understood = tally.utterances - tally.missed - tally.asked
    sure = f", {tally.confidence / understood:.2f} sure" if tally.confidence else ""
    failed = f"{tally.missed} not understood, {tally.asked} asked back, {tally.corrected} put right"
    match stage:
        case "answer":
            failed = f"{tally.missed} not answered, {tally.misworded} badly worded"
        case "asr":
            failed = f"{tally.missed} without words"
        case "voice":
            failed = f"{tally.missed} without a sound"
    took = f"{1000 * tally.seconds / tally.utterances:.0f} ms each, {tally.slow} slow"
    return f"{tally.utterances} utterances, {failed}{sure}; {took}"


def _day(at_s: float) -> str:
    return f"{datetime.fromtimestamp(at_s).astimezone():%Y-%m-%d %H:%M}"
