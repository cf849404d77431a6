"""Trials of versions of a model under load on Ray Serve: `python -m benchmarks.hub.trials`.

The stage says words, 200 a second, in two replicas, and eight callers ask all the time. Each of
`--times` trials begins as by SIGHUP. Every other version is as good as the one in use and is to
take all; of the others some find no answers, some fail, and some end their worker, and all are to
go back. A request is lost if it fails; it is wrong if the reply is not its own words, each once.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from assistant.control.metrics import percentile
from assistant.core.models.trial import Outcome, TrialSize
from tests.support.trying_hub import Callers, trying_hub
from tests.support.versioned_stages import BROKEN, MORTAL, WORSE

CALLERS, WORDS = 8, 6
SIZE = TrialSize(0.3, 300)
GOOD, BAD = ("2", "3"), (WORSE, BROKEN, MORTAL)
BEFORE_S = 10.0
"""Time without a trial, to compare with."""


def main() -> int:
    """Print the figures; exit status 1 where a request was lost or a verdict is another one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=12)
    times, took_s = parser.parse_args().times, list[float]()
    with (
        tempfile.TemporaryDirectory() as folder,
        trying_hub(Path(folder), (*GOOD, *BAD), SIZE) as hub,
    ):
        callers = Callers(hub.streams)
        with callers.of(CALLERS, WORDS):
            time.sleep(BEFORE_S)
            alone_s = list(callers.took_s)
            for number in range(times):
                of, is_good = number // 2, number % 2 == 0
                version, began_s = (GOOD if is_good else BAD), time.monotonic()
                hub.try_out(version[of % len(version)])
                took_s.append(time.monotonic() - began_s)
        outcomes = [trial.outcome for trial in hub.versions.file.all()]
    taken, back = (outcomes.count(one) for one in (Outcome.TAKEN, Outcome.BACK))
    lost, wrong, requests = len(callers.faults), len(callers.wrong), len(callers.took_s)
    told = f"{requests + lost} requests, {lost} lost, {wrong} wrong"
    sys.stdout.write(f"{times} trials, {taken} taken, {back} back; {told}\n")
    with_s = callers.took_s[len(alone_s) :]
    for name, replies_s in (("without a trial", alone_s), ("with them", with_s)):
        ms = (f"{1000 * percentile(replies_s, share):.0f}" for share in (0.5, 0.95, 1.0))
        sys.stdout.write(f"{name}: a reply takes {', '.join(ms)} ms at the median, 95 %, at most\n")
    half_s, most_s = percentile(took_s, 0.5), max(took_s)
    sys.stdout.write(f"a trial takes {half_s:.1f} s at the median, {most_s:.1f} at most\n")
    expected = [Outcome.TAKEN, Outcome.BACK] * times
    return int(lost + wrong > 0 or outcomes != expected[:times])


if __name__ == "__main__":
    sys.exit(main())
