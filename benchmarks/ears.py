"""Ears side by side: `python -m benchmarks.ears --data ../shared/data`.

Three recognisers hear the same recorded home commands, and the same understanding reads what they
give: PocketSphinx with its own general model, PocketSphinx with a plain trigram of the sentences
that may be said here, and the one of this project, which has the same sentences.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import pocketsphinx
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from assistant.core.speakable import Speakable
from assistant.evaluation.clips import Clip, SentenceLabel, labelled
from assistant.evaluation.spoken import SpokenFigures, evaluate_spoken
from audio.asr.general import spoken_words
from audio.asr.language_model import END, START
from audio.asr.pronunciation import dictionary_entries, dictionary_path
from audio.asr.recognizer import Recognition, recognition
from audio.asr.stage import AsrStage

MODEL = Path(pocketsphinx.get_model_path("en-us"))
DRAWN = 100_000
"""Number of sentences of the plain trigram, drawn as often as they are said."""
SEED = 1

Histories = Mapping[tuple[str, ...], Mapping[str, float]]


class Plain:
    """PocketSphinx as it comes, with a language model file; decodes when an utterance ends."""

    name = "pocketsphinx"

    def __init__(self, language_model: Path, dictionary: Path) -> None:
        self._decoder = pocketsphinx.Decoder(
            hmm=str(MODEL / "en-us"),
            lm=str(language_model),
            dict=str(dictionary),
            loglevel="FATAL",
        )
        self._heard: list[NDArray[np.int16]] = []

    def start(self, answers: Sequence[str] = (), unasked: bool = False) -> None:
        """Forget the last utterance."""
        self._heard = []

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono."""
        self._heard.append(samples)

    def finish(self) -> Recognition:
        """Decode the whole utterance and return what was said."""
        self._decoder.start_utt()
        self._decoder.process_raw(np.concatenate(self._heard).tobytes(), full_utt=True)
        self._decoder.end_utt()
        return recognition(spoken_words(self._decoder), self.name)


def drawn(speakable: Speakable, count: int, seed: int) -> Iterator[str]:
    """`count` sentences, each as often as it is said, with a value in the place of each class."""
    draw = random.Random(seed)
    values = {word: _drawer(phrases, draw) for word, phrases in speakable.classes.items()}
    sentence = _drawer(speakable.sentences, draw)
    for _ in range(count):
        words = sentence().split()
        yield " ".join(values[w[0]]() + w[1:] if w[0] in values else w for w in words)


def _drawer(weights: Mapping[str, float], draw: random.Random) -> Callable[[], str]:
    texts, cumulative = list(weights), list(accumulate(weights.values()))
    return lambda: draw.choices(texts, cum_weights=cumulative)[0]


def arpa(sentences: Iterator[str]) -> str:
    """A trigram model in ARPA format, with Witten-Bell smoothing (Witten and Bell 1991)."""
    counts: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        words = (START, *sentence.split(), END)
        for place in range(1, len(words)):
            for order in (0, 1, 2):
                if place >= order:
                    counts[words[place - order : place]][words[place]] += 1
    counts[()][START] = 0
    grams: list[list[str]] = [[], [], []]
    for history, following in sorted(counts.items()):
        for word in sorted(following):
            gram = (*history, word)
            backed = f" {_log(_left(counts, gram)):.4f}" if gram in counts else ""
            share = _log(_share(counts, history, word))
            grams[len(history)].append(f"{share:.4f} {' '.join(gram)}{backed}")
    sizes = [f"ngram {order}={len(some)}" for order, some in enumerate(grams, 1)]
    parts = [f"\n\\{order}-grams:\n" + "\n".join(some) for order, some in enumerate(grams, 1)]
    return "\n".join(["\\data\\", *sizes, *parts, "\n\\end\\", ""])


def _share(counts: Histories, history: tuple[str, ...], word: str) -> float:
    following = counts[history]
    seen, kinds = sum(following.values()), len(following)
    if not history:
        return following[word] / seen
    fewer = _share(counts, history[1:], word)
    return (following[word] + kinds * fewer) / (seen + kinds)


def _left(counts: Histories, history: tuple[str, ...]) -> float:
    """The factor on the shorter history's shares, for words never seen after this one.

    With Witten and Bell's interpolation it is what the words that were seen leave of it.
    """
    kinds = len(counts[history])
    return kinds / (sum(counts[history].values()) + kinds)


def _log(share: float) -> float:
    return float(np.log10(share)) if share > 0 else -99.0


def ears(composition: Composition, folder: Path) -> Iterator[tuple[str, AsrStage]]:
    """Each recogniser with its name."""
    general = Plain(MODEL / "en-us.lm.bin", dictionary_path())
    yield "PocketSphinx, general model", AsrStage(general)
    speakable = composition.understanding.templates.speakable()
    sentences = list(drawn(speakable, DRAWN, SEED))
    (folder / "trigram.arpa").write_text(arpa(iter(sentences)), "utf-8")
    words = {word for sentence in sentences for word in sentence.split()}
    entries = (f"{name} {phones}\n" for name, phones in dictionary_entries(words))
    (folder / "trigram.dict").write_text("".join(entries), "utf-8")
    trigram = Plain(folder / "trigram.arpa", folder / "trigram.dict")
    yield "PocketSphinx, plain trigram of the same sentences", AsrStage(trigram)
    yield "this ear", composition.asr()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One ear's figures, and the seconds that all clips took it."""

    name: str
    figures: SpokenFigures
    took_s: float


def compare(clips: Sequence[Clip[SentenceLabel]], home: Path) -> Iterator[Row]:
    """The figures of each ear on the same clips, with the understanding for `home`."""
    composition = Composition(temporary_config(None, home))
    with TemporaryDirectory() as folder:
        for name, asr in ears(composition, Path(folder)):
            began_s = time.perf_counter()
            figures = evaluate_spoken(clips, asr, composition.nlu(), composition.skills)
            yield Row(name=name, figures=figures, took_s=round(time.perf_counter() - began_s, 1))


def main(arguments: Sequence[str]) -> None:
    """Compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    data = parser.parse_args(arguments).data
    home = data / "audio" / "home"
    clips, _ = labelled(home / "clips", home / "labels.json", SentenceLabel)
    table = Table("ear", "right", "exact", "word error rate", "by voice", "actions", "seconds")
    for row in compare(clips, data / "home.yaml"):
        one = row.figures
        voices = ", ".join(f"{v} {share:.2f}" for v, share in one.right_by_voice.items())
        cells = (one.right_interpretations, one.exact_transcripts, one.wer)
        shown = (f"{cell:.2f}" for cell in cells)
        table.add_row(row.name, *shown, voices, str(one.actions_on_rejects), f"{row.took_s}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
