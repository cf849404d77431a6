"""Trials of versions of a model under load on Ray Serve: `python -m benchmarks.hub.trials`.

The stage says words, 200 a second, in two replicas, and eight callers ask all the time. Each of
`--times` trials begins as by SIGHUP. Every other version is as good as the one in use and is to
take all; of the others some find no answers, some fail, and some end their worker, and all are to
go back. A request is lost if it fails; it is wrong if the reply is not its own words, each once.
With `--hub` it is `assistant hub` with its real stages, asked over HTTP by ten rooms: one version
of the intent model as good as the one in use, and one that understands nothing.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from assistant.control.metrics import percentile
from assistant.core.layout import HUB_TRIALS_FILE
from assistant.core.models.calibration import FILE, read_calibration
from assistant.core.models.manifest import Library
from assistant.core.models.trial import Outcome, TrialSize
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.model_files.acceptance import put_in_use
from assistant.model_files.pull import import_version
from benchmarks.endurance.versions import variant
from benchmarks.hub.service import Caller, hub, prepared, timed
from nlu.classifier.calibration import IntentCalibration
from tests.support.trying_hub import Callers, trying_hub
from tests.support.versioned_stages import BROKEN, MORTAL, WORSE

CALLERS, WORDS = 8, 6
SIZE = TrialSize(0.3, 300)
GOOD, BAD = ("2", "3"), (WORSE, BROKEN, MORTAL)
DEAF, ROOMS, PATIENCE_S = "deaf", 10, 300.0
BEFORE_S = 10.0
"""Time without a trial, to compare with."""


def main() -> int:
    """Print the figures; exit status 1 where a request was lost or a verdict is another one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=12)
    parser.add_argument("--hub", action="store_true")
    asked = parser.parse_args()
    return _of_hub() if asked.hub else _of_words(asked.times)


def _of_words(times: int) -> int:
    took_s: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        trying_hub(Path(folder), (*GOOD, *BAD), SIZE) as tried,
    ):
        callers = Callers(tried.streams)
        with callers.of(CALLERS, WORDS):
            time.sleep(BEFORE_S)
            alone_s = list(callers.took_s)
            for number in range(times):
                of, is_good = number // 2, number % 2 == 0
                version, began_s = (GOOD if is_good else BAD), time.monotonic()
                tried.try_out(version[of % len(version)])
                took_s.append(time.monotonic() - began_s)
        outcomes = [trial.outcome for trial in tried.versions.file.all()]
    taken, back = (outcomes.count(one) for one in (Outcome.TAKEN, Outcome.BACK))
    lost, wrong, requests = len(callers.faults), len(callers.wrong), len(callers.took_s)
    told = f"{requests + lost} requests, {lost} lost, {wrong} wrong"
    sys.stdout.write(f"{times} trials, {taken} taken, {back} back; {told}\n")
    with_s = callers.took_s[len(alone_s) :]
    for name, replies_s in (("without a trial", alone_s), ("with them", with_s)):
        _tell(name, [1000 * one_s for one_s in replies_s])
    half_s, most_s = percentile(took_s, 0.5), max(took_s)
    sys.stdout.write(f"a trial takes {half_s:.1f} s at the median, {most_s:.1f} at most\n")
    expected = [Outcome.TAKEN, Outcome.BACK] * times
    return int(lost + wrong > 0 or outcomes != expected[:times])


def _of_hub() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder, every_ms = Path(name), list[float]()
        key, models = prepared(folder), Library(folder / "STATE" / "models")
        _import(models, folder)
        options = ("--try-share", str(SIZE.share), "--try-requests", str(SIZE.utterances))
        with hub(folder, 1, 0, *options) as (url, process), ThreadPoolExecutor(ROOMS) as rooms:
            caller, over = Caller(url, key), threading.Event()

            def call(room: int) -> None:
                while not over.wait(0.1):
                    every_ms.extend(timed(of, room) for of in (caller.guesses, caller.understands))

            calls = [rooms.submit(call, room) for room in range(ROOMS)]
            trials = [_tried(folder, models, process, version) for version in (DEAF, GOOD[0])]
            over.set()
            for one in calls:
                one.result()
    lost = sum(map(math.isnan, every_ms))
    for trial in trials:
        took_s = trial.ended_s - trial.began_s
        sys.stdout.write(f"{trial.version} {trial.outcome} after {took_s:.0f} s: {trial.reason}\n")
    sys.stdout.write(f"{len(every_ms)} calls, {lost} lost or wrong\n")
    _tell("/v1/interpret", [ms for ms in every_ms if not math.isnan(ms)])
    return int(lost > 0 or [t.outcome for t in trials] != [Outcome.BACK, Outcome.TAKEN])


def _import(models: Library, folder: Path) -> None:
    """Put both versions beside the one in use."""
    models.pulled.mkdir(parents=True)
    good, deaf = variant("intent", folder / "good", 2), variant("intent", folder / "deaf", 2)
    calibration = read_calibration(models, "intent", IntentCalibration)
    calibration = msgspec.structs.replace(calibration, in_scope=1.0)
    (deaf / FILE).write_bytes(msgspec.json.encode(calibration))
    for version, made in ((GOOD[0], good), (DEAF, deaf)):
        import_version(models, "intent", made, version, lambda *_: None)


def _tried(folder: Path, models: Library, process: int, version: str) -> Trial:
    """The trial of a version, once it has ended."""
    put_in_use(models.choosing("intent", version), "intent")
    os.kill(process, signal.SIGHUP)
    file, end_s = TrialFile(folder / "STATE" / HUB_TRIALS_FILE), time.monotonic() + PATIENCE_S
    while True:
        for trial in file.all():
            if trial.version == version and trial.outcome is not Outcome.RUNNING:
                return trial
        if time.monotonic() > end_s:
            raise SystemExit(f"the trial of {version} does not end")
        time.sleep(0.2)


def _tell(name: str, took_ms: list[float]) -> None:
    ms = (f"{percentile(took_ms, share):.0f}" for share in (0.5, 0.95, 1.0))
    sys.stdout.write(f"{name}: a reply takes {', '.join(ms)} ms at the median, 95 %, at most\n")


if __name__ == "__main__":
    sys.exit(main())
