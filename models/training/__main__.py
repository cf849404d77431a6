"""`python -m models.training intent|ner|benchmark NAME`: train, write as int8, judge."""

from __future__ import annotations

import logging
import sys

from models.training import benchmark, config, delivery, intent, loop, ner

USAGE = "usage: python -m models.training intent | intent-check | ner | benchmark snips|atis|conll"


def main(arguments: list[str]) -> None:
    """Run what the arguments name; a training that was killed goes on where it was."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    match arguments:
        case ["intent"]:
            task = intent.IntentTask(config.INTENT)
            loop.train(task, config.INTENT)
            delivery.deliver_intent(task, config.INTENT)
        case ["intent-check"]:
            held = intent.IntentTask(config.INTENT_CHECK, "intent-check")
            loop.train(held, config.INTENT_CHECK)
            delivery.deliver_generality(held, config.INTENT_CHECK)
        case ["ner"]:
            tagger = ner.NerTask(config.NER)
            loop.train(tagger, config.NER)
            delivery.deliver_ner(tagger)
        case ["benchmark", name] if name in config.BENCHMARKS:
            tagger = benchmark.task(name)
            loop.train(tagger, config.BENCHMARKS[name])
            delivery.deliver_benchmark(name, tagger)
        case _:
            sys.exit(USAGE)


main(sys.argv[1:])
