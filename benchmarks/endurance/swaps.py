"""Models replaced while texts are understood: `python -m benchmarks.endurance.swaps`.

The real daemon runs, and transcripts reach its understanding by the real bus at a steady rate, each
text as two revisions of an utterance. Meanwhile one version after the other of the intent model,
then of the NER model, is put in use through the control socket, and bad ones are tried. Every
answer must come, and be what a version says that was in use between question and answer. Three
versions take turns, so that each is loaded again, as only the previous one is kept in memory.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from assistant.bench.rig import Rig, running_daemon
from assistant.composition import Composition
from assistant.control.metrics import percentile
from assistant.control.procfs import usage
from assistant.core.config import Config, load_config
from assistant.core.errors import ModelError
from assistant.core.messages import Command, Interpretation, Transcript
from assistant.core.models.manifest import Library
from assistant.evaluation.specimen import specimen_home
from assistant.model_files import switch
from benchmarks.endurance.traffic import CONVERSATION_S, Answers, Asked, Pair, Traffic
from benchmarks.endurance.versions import add, add_unsound
from models.training.config import TRAINING
from models.training.examples import labelled
from nlu.fallback.guesser import Guesser
from nlu.stage import NluStage
from skills.registry import load_registry

MODELS = ("intent", "ner")
VERSIONS = ("1", "2", "3")
PAIRS = (*((v, "1") for v in VERSIONS), *(("1", v) for v in VERSIONS))
"""Pairs of versions that occur: the NER model's turn comes after the intent model's last."""
NAMED = (
    "HassBroadcast",
    "HassMediaSearchAndPlay",
    "HassShoppingListAddItem",
    "HassShoppingListCompleteItem",
)
BASELINE_S = 10.0
ROLLBACKS = 5


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds from a transcript to its meaning."""

    p50_ms: float
    p95_ms: float
    longest_ms: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The result; `strange` answers are from neither the old model nor the new."""

    swaps: int
    asked: int
    dropped: int
    strange: int
    split: int
    """Utterances with one revision read by the old model and one by the new."""
    telling: int
    """Answers that differ between the versions, so that they show which one gave them."""
    refused: dict[str, str]
    restarts: int
    first_use_s: float
    """Seconds to use a new intent model, which is first fitted to the installed skills."""
    swap_p50_s: float
    swap_longest_s: float
    rollback_p50_s: float
    """Seconds of the command `assistant models rollback`, from its start to its end."""
    rollback_longest_s: float
    alone: Latency
    while_swapping: Latency
    nlu_before_mb: float
    nlu_after_mb: float


def measure(swaps: int, per_s: float) -> Figures:
    """Swap so many times, with so many utterances a second."""
    home = json.dumps(msgspec.to_builtins(specimen_home(load_registry().manifests)))
    with running_daemon(home) as rig:
        config, _ = load_config((rig.config,))
        library = Library(config.models_dir)
        library.pulled.mkdir(parents=True)
        for name in MODELS:
            for seed, version in enumerate(VERSIONS[1:], start=2):
                add(library, name, version, seed)
        traffic = Traffic(config.runtime_dir, sentences(), per_s)
        try:
            return _swap(rig, config, traffic, swaps)
        finally:
            traffic.stop()


def _swap(rig: Rig, config: Config, traffic: Traffic, swaps: int) -> Figures:
    time.sleep(BASELINE_S)
    alone, before_mb = traffic.asked(), _nlu_mb(rig)
    first_use_s = _use(config, traffic, "intent", VERSIONS[1])
    took_s = [
        _use(config, traffic, name, version)
        for name in MODELS
        for version in _turns(swaps // len(MODELS))
    ]
    refused = dict(_tried_unsound(config))
    rollbacks_s = [_roll_back(rig, config, traffic) for _ in range(ROLLBACKS)]
    asked = traffic.stop()
    answers = expected(config, traffic.texts)
    return Figures(
        swaps=1 + len(took_s) + len(rollbacks_s),
        asked=len(asked),
        dropped=sum(one.answer is None for one in asked),
        strange=sum(not answers.fits(one) for one in asked),
        split=answers.split(asked),
        telling=sum(map(answers.telling, asked)),
        refused=refused,
        restarts=sum(p["restarts"] for p in rig.control.ask("status")["processes"]),
        first_use_s=round(first_use_s, 2),
        swap_p50_s=round(statistics.median(took_s), 2),
        swap_longest_s=round(max(took_s), 2),
        rollback_p50_s=round(statistics.median(rollbacks_s), 2),
        rollback_longest_s=round(max(rollbacks_s), 2),
        alone=_latency(alone),
        while_swapping=_latency(asked[len(alone) :]),
        nlu_before_mb=before_mb,
        nlu_after_mb=_nlu_mb(rig),
    )


def _turns(count: int) -> list[str]:
    """So many versions in turn, starting with the third; the last of them is the first."""
    turns = [VERSIONS[(number + 2) % len(VERSIONS)] for number in range(count - 1)]
    if turns and turns[-1] == VERSIONS[0]:
        turns[-1] = VERSIONS[1]
    return [*turns, VERSIONS[0]]


def _use(config: Config, traffic: Traffic, name: str, version: str) -> float:
    with traffic.changing(name, version):
        began_s = time.monotonic()
        if not switch.use(config, name, version, known=True):
            raise ModelError("bench.not_running", "the daemon did not take it")
        return time.monotonic() - began_s


def _tried_unsound(config: Config) -> Iterator[tuple[str, str]]:
    """The daemon's report on each bad candidate; raises `AssertionError` if it accepts one."""
    library = Library(config.models_dir)
    for name in MODELS:
        for version, told in add_unsound(library, name).items():
            try:
                switch.use(config, name, version, known=True)
            except ModelError as error:
                if told not in error.message:
                    raise
                yield f"{name} {version}", error.message.replace(str(library.pulled), "…")
            else:
                raise AssertionError(f"{name} {version} was taken")


def _roll_back(rig: Rig, config: Config, traffic: Traffic) -> float:
    back_to = Library(config.models_dir).in_use("intent").before
    command = (sys.executable, "-m", "assistant", "models", "rollback", "intent", "--config")
    with traffic.changing("intent", back_to):
        began_s = time.monotonic()
        subprocess.run((*command, str(rig.config)), check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - began_s


def expected(config: Config, texts: Sequence[str], pairs: Iterable[Pair] = PAIRS) -> Answers:
    """What each pair of versions says for each text, by the stage in this process.

    Call it when the daemon has fitted every intent model: the fits are read from its cache.
    """
    said: dict[Pair, dict[str, tuple[Command, ...]]] = {}
    stage = Composition(config).nlu()
    for pair in dict.fromkeys(pairs):
        library = Library(config.models_dir)
        for name, version in zip(MODELS, pair, strict=True):
            library = library.choosing(name, version)
        made = Composition(config, library=library)
        if (
            not isinstance(stage.guess, Guesser)
            or made.understanding.intents is None
            or made.understanding.tagger is None
        ):
            raise ModelError("bench.no_models", "understanding runs without its models")
        stage.guess.use(made.understanding.intents)
        stage.guess.use(made.understanding.tagger)
        said[pair] = {text: _understood(stage, text, n) for n, text in enumerate(texts)}
    return Answers(said)


def _understood(stage: NluStage, text: str, number: int) -> tuple[Command, ...]:
    at_s = CONVERSATION_S * (number + 1)
    message = Transcript(utterance_id=f"{at_s} {text}", revision=0, text=text, at_s=at_s)
    (understood,) = (m for m in stage.feed(message) if isinstance(m, Interpretation))
    return understood.commands


def sentences(count: int = 80) -> list[str]:
    """Sentences that no template fits completely, so that the models are used for them.

    Half of them hold a name or words that the NER model finds.
    """
    named = {text: label.intent in NAMED for label, text in labelled(TRAINING / "dev") if label}
    halves = (
        [text for text, is_named in named.items() if is_named is half] for half in (True, False)
    )
    return [text for half in halves for text in _spread(half, count // 2)]


def _spread(texts: Sequence[str], count: int) -> Sequence[str]:
    return texts[:: max(1, len(texts) // count)][:count]


def _latency(asked: Sequence[Asked]) -> Latency:
    took_ms = [1000 * (one.answered_s - one.asked_s) for one in asked if one.answer]
    shares = (percentile(took_ms, share) for share in (0.5, 0.95, 1.0))
    p50_ms, p95_ms, longest_ms = (round(ms, 1) for ms in shares)
    return Latency(p50_ms=p50_ms, p95_ms=p95_ms, longest_ms=longest_ms)


def _nlu_mb(rig: Rig) -> float:
    found = usage(rig.process.pid).values()
    return round(sum(one.pss_bytes for one in found if one.name == "nlu") / 1e6, 1)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description="Swap models while texts are understood.")
    parser.add_argument("--swaps", type=int, default=100)
    parser.add_argument("--per-second", type=float, default=8.0, help="utterances")
    given = parser.parse_args()
    figures = measure(given.swaps, given.per_second)
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures)).decode() + "\n")
    sys.exit(1 if figures.dropped or figures.strange or figures.split or figures.restarts else 0)


if __name__ == "__main__":
    main()
