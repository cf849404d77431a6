"""Runs the trainings, from data to delivery."""

from __future__ import annotations

import sys

from models.training import config, delivery, loop
from models.training.benchmark import BenchmarkTask
from models.training.intent import IntentTask
from models.training.ner import NerTask
from models.training.reading import ReaderTask


def run(arguments: list[str]) -> None:
    """Train and deliver "intent", "intent-check", "ner", "reader" or "benchmark SET"."""
    match arguments:
        case ["intent"]:
            whole = IntentTask(config.INTENT)
            loop.train(whole, config.INTENT)
            delivery.deliver_intent(whole, config.INTENT)
        case ["intent-check"]:
            held = IntentTask(config.INTENT_CHECK, "intent-check")
            loop.train(held, config.INTENT_CHECK)
            delivery.deliver_generality(held, config.INTENT_CHECK)
        case ["ner"]:
            tagger = NerTask(config.NER)
            loop.train(tagger, config.NER)
            delivery.deliver_ner(tagger)
        case ["reader"]:
            reader = ReaderTask(config.READER)
            loop.train(reader, config.READER)
            delivery.deliver_reader(reader)
        case ["benchmark", name] if name in config.BENCHMARKS:
            judged = BenchmarkTask(name)
            loop.train(judged, config.BENCHMARKS[name])
            delivery.deliver_benchmark(name, judged)
        case _:
            sys.exit(f"benchmark takes one of {', '.join(config.BENCHMARKS)}")
