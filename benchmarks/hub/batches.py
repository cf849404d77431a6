"""What it saves to understand several texts at once: `python -m benchmarks.hub.batches`.

The models of understanding read eight texts, one by one and in one batch, on one thread; it is the
processor's time that counts, at the median of fifty. Only texts that fit no sentence come to them.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from assistant.core.config import load_config
from assistant.core.models.manifest import Library
from nlu.classifier.encoder import SentenceEncoder

TEXTS = (
    "could you make it a bit warmer in the kitchen",
    "dim the lamp by the sofa please",
    "put the heating to twenty degrees",
    "wake me up at seven tomorrow",
    "what is the weather going to be like",
    "i would like some jazz now",
    "remind me to call anna in ten minutes",
    "is the front door locked",
)
TIMES = 50


def main() -> int:
    """Print the figures."""
    encoder = SentenceEncoder.load(Library(load_config(())[0].models_dir))
    apart = _cpu_ms(lambda: [encoder.encode([text]) for text in TEXTS])
    together = _cpu_ms(lambda: encoder.encode(TEXTS))
    told = f"{len(TEXTS)} texts one by one {apart:.1f} ms, in a batch {together:.1f} ms of CPU"
    sys.stdout.write(f"{told}: {1 - together / apart:.0%} saved\n")
    return 0


def _cpu_ms(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(TIMES):
        began_s = time.process_time()
        work()
        taken.append(time.process_time() - began_s)
    return 1000 * statistics.median(taken)


if __name__ == "__main__":
    sys.exit(main())
