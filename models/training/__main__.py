"""`python -m models.training intent|ner|benchmark NAME`."""

from __future__ import annotations

import logging
import sys

from models.training import benchmark, config, intent, loop, ner


def main(arguments: list[str]) -> None:
    """Run the training that the arguments name."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    match arguments:
        case ["intent"]:
            loop.train(intent.IntentTask(config.INTENT), config.INTENT)
        case ["intent-check"]:
            task = intent.IntentTask(config.INTENT_CHECK, "intent-check")
            loop.train(task, config.INTENT_CHECK)
        case ["ner"]:
            loop.train(ner.NerTask(config.NER), config.NER)
        case ["benchmark", name]:
            loop.train(benchmark.task(name), config.BENCHMARKS[name])


main(sys.argv[1:])
