"""What each model takes of the processor, and what counting it costs.

`python -m benchmarks.model_usage`. Sentences are spoken to the real daemon: commands that fit a
sentence, commands in other words, which the models of understanding read, and questions about
documents. For each kind the metrics are read before and after, as Prometheus would read them.
Beside the models stands what their processes used altogether.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec
from prometheus_client.parser import text_string_to_metric_families

from assistant.bench.figures import median_of_runs
from assistant.control.metrics_store import WRITTEN_EVERY_S
from assistant.core.models.usage import Meter, ModelUsage
from assistant.core.worker import TELL_OF_MODELS_EVERY_S
from tests.support.scenario import Daemon, Rest, Say, await_indexed, quiet, tell

DOCUMENTS = Path(__file__).parents[1] / "examples" / "documents"
SPOKEN = {
    "a sentence": (
        "turn on the kitchen light",
        "turn off the kitchen light",
        "what time is it",
        "set a timer for five minutes",
        "cancel all timers",
        "is the kitchen light on",
        "set the bedroom light to forty percent",
        "what is the date",
        "add milk to the shopping list",
        "what can you do",
    ),
    "other words": (
        "could you perhaps get the kitchen light going for me",
        "the kitchen light is not needed any more right now",
        "I would like it to be a bit brighter in the kitchen",
        "please make sure that the bedroom light is off by now",
        "would you be so kind and stop all the timers",
        "let me know how late it is getting",
        "it would be nice to have the bedroom light on now",
        "the bedroom could do with some more light",
        "we are going to need milk so put it on the list",
        "can you see to it that the kitchen light goes off",
    ),
    "a question": (
        "how long does the guarantee of the dishwasher run",
        "when do the bins go out",
        "when does the boiler need a service",
        "how often should I clean the filter of the dishwasher",
        "how long does the guarantee of the boiler run",
        "when is the filter of the dishwasher cleaned",
        "what does the guarantee of the dishwasher cover",
        "when do the paper bins go out",
        "who repairs the boiler",
        "when is the dentist",
    ),
}
PROCESSES = ("audio", "asr", "nlu", "answer")
RUNS, COUNTED = 5, 20_000
CPU, MODEL_RUNS = "hark_model_cpu_seconds_total", "hark_model_runs_total"
PROCESS_CPU, UTTERANCES = "hark_process_cpu_seconds_total", "hark_utterances_total"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of utterance: for each, milliseconds of the processor and runs by model, and
    milliseconds of whole processes."""

    kind: str
    utterances: int
    model_ms: Mapping[str, float]
    runs: Mapping[str, float]
    process_ms: Mapping[str, float]


def counting_us() -> float:
    """Microseconds of the processor that counting one run takes, the median of five."""
    meter = Meter("any", "1", usage=ModelUsage())
    spent = []
    for _ in range(RUNS):
        began_s = time.thread_time()
        for _ in range(COUNTED):
            with meter.run():
                pass
        spent.append([(time.thread_time() - began_s) / COUNTED * 1e6])
    return round(median_of_runs(spent, 0.5), 2)


def counters(textfile: Path) -> Counter[tuple[str, str]]:
    """(Metric, model or process) → its value, once all that was used has been told."""
    time.sleep(TELL_OF_MODELS_EVERY_S + WRITTEN_EVERY_S + 2.0)
    found = Counter[tuple[str, str]]()
    for family in text_string_to_metric_families(textfile.read_text("utf-8")):
        for sample in family.samples:
            of = sample.labels.get("model", sample.labels.get("process", ""))
            found[sample.name, of] += sample.value  # type: ignore[assignment]  # seconds
    return found


def row(kind: str, daemon: Daemon, textfile: Path) -> Row:
    """What is used while the sentences of that kind are spoken."""
    before = counters(textfile)
    for text in SPOKEN[kind]:
        tell(daemon, [Say(f"computer, {text}"), Rest(2.0)])
    after = counters(textfile)
    used = {key: value - before[key] for key, value in after.items() if value > before[key]}
    said = round(used[UTTERANCES, ""])

    def each(metric: str, factor: float = 1000.0) -> dict[str, float]:
        shares = {of: value * factor / said for (name, of), value in used.items() if name == metric}
        return {of: round(share, 2) for of, share in sorted(shares.items())}

    processes = {name: ms for name, ms in each(PROCESS_CPU).items() if name in PROCESSES}
    return Row(
        kind=kind,
        utterances=said,
        model_ms=each(CPU),
        runs=each(MODEL_RUNS, 1.0),
        process_ms=processes,
    )


def main() -> None:
    """Measure, and print a line for each kind."""
    sys.stdout.write(f"counting a run takes {counting_us()} µs\n")
    with tempfile.TemporaryDirectory(prefix="hark-usage-") as name:
        folder = Path(name) / "daemon"
        folder.mkdir()
        textfile = folder / "hark.prom"
        settings = f'[documents]\nfolders = ["{DOCUMENTS}"]\n[metrics]\ntextfile = "{textfile}"\n'
        with quiet(folder, settings) as daemon:
            await_indexed(daemon, DOCUMENTS)
            for kind in SPOKEN:
                found = row(kind, daemon, textfile)
                sys.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")


if __name__ == "__main__":
    main()
