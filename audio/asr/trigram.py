"""A trigram model of sentences in ARPA format, which PocketSphinx's n-gram search reads.

Beside the word network it hears what the network prunes: a word may follow any other, if rarely.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import log10

from assistant.core.constrained.word_network import END, START
from assistant.core.speakable import ANYTHING, Speakable

DRAWN = 100_000
"""Number of sentences that are drawn, as often as they are said."""
_SEED = 1
_NEVER = -99.0


def drawn(
    speakable: Speakable, prefixes: Sequence[str] = (), count: int = DRAWN, seed: int = _SEED
) -> Iterator[str]:
    """`count` sentences, each as often as it is said, with a value in the place of each class.

    Those with `ANYTHING` in them are left out. Before every other one stands one of `prefixes`,
    such as wake words, if there are any.
    """
    draw = random.Random(seed)
    values = {word: _drawer(phrases, draw) for word, phrases in speakable.classes.items()}
    listed = {said: often for said, often in speakable.sentences.items() if ANYTHING not in said}
    sentence = _drawer(listed, draw)
    for number in range(count):
        words = sentence().split()
        said = (values[w[0]]() + w[1:] if w[0] in values else w for w in words)
        before = prefixes[number // 2 % len(prefixes) :][:1] if prefixes and number % 2 else ()
        yield " ".join((*before, *said))


def _drawer(weights: Mapping[str, float], draw: random.Random) -> Callable[[], str]:
    texts, cumulative = list(weights), list(accumulate(weights.values()))
    return lambda: draw.choices(texts, cum_weights=cumulative)[0]


def arpa(sentences: Iterable[str]) -> str:
    """A trigram model in ARPA format, with Witten-Bell smoothing (Witten and Bell 1991)."""
    counts: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for sentence, often in Counter(sentences).items():
        words = (START, *sentence.split(), END)
        for place in range(1, len(words)):
            word = words[place]
            counts[()][word] += often
            counts[words[place - 1 : place]][word] += often
            if place > 1:
                counts[words[place - 2 : place]][word] += often
    counts[()][START] = 0
    seen = {history: sum(following.values()) for history, following in counts.items()}
    grams: list[list[str]] = [[], [], []]
    shares: dict[tuple[str, ...], float] = {}
    for history, following in sorted(counts.items(), key=lambda item: (len(item[0]), item[0])):
        kinds = len(following) if history else 0
        for word in sorted(following):
            gram = (*history, word)
            # With Witten and Bell's interpolation a longer history leaves to a shorter one what the
            # words that were seen after it leave.
            after = len(counts.get(gram, ()))
            backed = f" {_log(after / (seen[gram] + after)):.4f}" if after else ""
            fewer = kinds * shares[gram[1:]] if history else 0.0
            shares[gram] = (following[word] + fewer) / (seen[history] + kinds)
            grams[len(history)].append(f"{_log(shares[gram]):.4f} {' '.join(gram)}{backed}")
    sizes = [f"ngram {order}={len(some)}" for order, some in enumerate(grams, 1)]
    parts = [f"\n\\{order}-grams:\n" + "\n".join(some) for order, some in enumerate(grams, 1)]
    return "\n".join(["\\data\\", *sizes, *parts, "\n\\end\\", ""])


def _log(share: float) -> float:
    return log10(share) if share > 0 else _NEVER
