"""A trigram language model with back-off, estimated from sentences, as ARPA text."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

START, END = "<s>", "</s>"
ORDER = 3
NEVER_LOG10 = -99.0  # what ARPA readers take for "never predicted"

NGram = tuple[str, ...]


def trigram_arpa(
    sentences: Iterable[str], prefixes: Sequence[str] = (), *, backoff_weight: float = 1.0
) -> str:
    """Estimate a trigram model from sentences and return it in ARPA format.

    Witten-Bell smoothing, interpolated (Witten and Bell 1991; Chen and Goodman 1999): a context that
    was sampled often is trusted like the grammar it came from, a rare one backs off. `prefixes` are
    phrases, such as wake words, that may stand before any sentence. `backoff_weight` scales the
    probability left for words never seen after a context. Words are split at white space; the
    result depends only on the multiset of sentences. Raises ValueError without any word.
    """
    counts = _count(_with_prefixes(sentences, prefixes))
    if not counts:
        raise ValueError("a language model needs at least one sentence with a word")
    return "\n".join(_lines(_estimate(counts, backoff_weight))) + "\n"


def _with_prefixes(sentences: Iterable[str], prefixes: Sequence[str]) -> Iterator[str]:
    for index, sentence in enumerate(sentences):
        yield sentence
        if prefixes:
            yield f"{prefixes[index % len(prefixes)]} {sentence}"


def _count(sentences: Iterable[str]) -> Counter[NGram]:
    counts: Counter[NGram] = Counter()
    for sentence, times in Counter(tuple(text.split()) for text in sentences).items():
        if not sentence:
            continue
        words = (START, *sentence, END)
        for order in range(1, ORDER + 1):
            for first in range(len(words) - order + 1):
                counts[words[first : first + order]] += times
    counts.pop((START,), None)  # predicted by nothing
    return counts


def _estimate(
    counts: Counter[NGram], backoff_weight: float
) -> tuple[dict[NGram, float], dict[NGram, float]]:
    """Return the probability of each n-gram and the back-off weight of each context."""
    seen: defaultdict[NGram, int] = defaultdict(int)
    kinds: defaultdict[NGram, int] = defaultdict(int)
    for gram, times in counts.items():
        seen[gram[:-1]] += times
        kinds[gram[:-1]] += 1
    backoff = {
        context: backoff_weight * kinds[context] / (seen[context] + backoff_weight * kinds[context])
        for context in seen
    }
    probability: dict[NGram, float] = {}
    uniform = 1.0 / kinds[()]
    for gram in sorted(counts, key=lambda gram: (len(gram), gram)):
        context = gram[:-1]
        shorter = probability[gram[1:]] if context else uniform
        direct = counts[gram] / seen[context]
        probability[gram] = (1 - backoff[context]) * direct + backoff[context] * shorter
    return probability, backoff


def _lines(model: tuple[dict[NGram, float], dict[NGram, float]]) -> Iterator[str]:
    probability, backoff = model
    by_order: list[list[NGram]] = [[] for _ in range(ORDER + 1)]
    for gram in probability:
        by_order[len(gram)].append(gram)
    by_order[1].insert(0, (START,))
    yield "\\data\\"
    for order in range(1, ORDER + 1):
        yield f"ngram {order}={len(by_order[order])}"
    for order in range(1, ORDER + 1):
        yield f"\n\\{order}-grams:"
        for gram in by_order[order]:
            log10 = math.log10(probability[gram]) if gram in probability else NEVER_LOG10
            tail = f"\t{math.log10(backoff[gram]):.4f}" if gram in backoff else ""
            yield f"{log10:.4f}\t{' '.join(gram)}{tail}"
    yield "\n\\end\\"
