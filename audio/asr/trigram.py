"""A trigram model of sentences in ARPA format, which PocketSphinx's n-gram search reads.

Beside the word network it hears what the network prunes: a word may follow any other, if rarely.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import log10

from assistant.core.speakable import ANYTHING, Speakable
from audio.asr.language_model import END, START

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
    """What `draw.choices` draws, one at a time and much quicker."""
    texts, cumulative = list(weights), list(accumulate(weights.values()))
    total, last = cumulative[-1] if texts else 0.0, len(texts) - 1
    return lambda: texts[bisect(cumulative, draw.random() * total, 0, last)]


def arpa(sentences: Iterable[str]) -> str:
    """A trigram model in ARPA format, with Witten-Bell smoothing (Witten and Bell 1991)."""
    counts: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for sentence, often in Counter(sentences).items():
        words = (START, *sentence.split(), END)
        for place in range(1, len(words)):
            for order in (0, 1, 2):
                if place >= order:
                    counts[words[place - order : place]][words[place]] += often
    counts[()][START] = 0
    seen = {history: sum(following.values()) for history, following in counts.items()}

    def share(history: tuple[str, ...], word: str) -> float:
        following = counts[history]
        if not history:
            return following[word] / seen[()]
        fewer = len(following) * share(history[1:], word)
        return (following[word] + fewer) / (seen[history] + len(following))

    def left(history: tuple[str, ...]) -> float:
        """The factor on the shorter history's shares, for words never seen after this one.

        With Witten and Bell's interpolation it is what the words that were seen leave of it.
        """
        kinds = len(counts[history])
        return kinds / (seen[history] + kinds)

    grams: list[list[str]] = [[], [], []]
    for history, following in sorted(counts.items()):
        for word in sorted(following):
            gram = (*history, word)
            backed = f" {_log(left(gram)):.4f}" if gram in counts else ""
            grams[len(history)].append(f"{_log(share(history, word)):.4f} {' '.join(gram)}{backed}")
    sizes = [f"ngram {order}={len(some)}" for order, some in enumerate(grams, 1)]
    parts = [f"\n\\{order}-grams:\n" + "\n".join(some) for order, some in enumerate(grams, 1)]
    return "\n".join(["\\data\\", *sizes, *parts, "\n\\end\\", ""])


def _log(share: float) -> float:
    return log10(share) if share > 0 else _NEVER
