"""The files with a domain's sentences and words for PocketSphinx, made once and then cached."""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from assistant.core.constrained.word_network import WordNetwork, compile_network
from assistant.core.files import made_once, mark_used, replace_file
from assistant.core.fork import in_fork
from assistant.core.speakable import ANYTHING, SpeakableSource
from audio.asr.pronunciation import PHONES, dictionary_entries
from audio.asr.trigram import DRAWN, arpa, drawn

_FORMAT = "13"  # changes whenever the same source would give other files
_KEPT = 8
"""Most domains that are kept, 3 MB each: the daemon's, and those of what was tried lately."""
_PHONE_PROBABILITY = 0.01
_FREE_PHONE_PROBABILITY = 0.25
"""That of phones inside a sentence. Of 22 sentences with free text in unusual words and two
questions, and of 55 in usual words, each in two of flite's voices, 0.21 and 0.12 of the words were
wrong with this one when it was chosen, 0.28 and 0.14 with 0.1, 0.66 and 0.19 without such phones.
"""
_EVERYTHING = ANYTHING, 2 * ANYTHING
"""Words for anything inside a sentence, and at its end."""

FILLERS = {f"++{phone}++": phone for phone in sorted(PHONES)}
"""Words of one phone each, for speech from outside the domain."""


class Domain(msgspec.Struct, frozen=True, kw_only=True):
    """A word network in Sphinx's FSG format, a dictionary for just its words, and a trigram model.

    The trigram, in ARPA format, is of the same sentences. `short` is a network of the short forms,
    whose words the dictionary has, too; an empty file where there are none. `sentences` is what
    whisper seeks: the network of sentences and short forms with their classes, `Sentences`.
    """

    network: Path
    dictionary: Path
    trigram: Path
    short: Path
    sentences: Path

    @property
    def is_there(self) -> bool:
        """Whether all files have been made."""
        files = self.network, self.dictionary, self.trigram, self.short, self.sentences
        return all(file.exists() for file in files)


class Sentences(msgspec.Struct, frozen=True, kw_only=True):
    """A network of words, some of which are classes: their word → phrases → how often each."""

    network: WordNetwork
    classes: Mapping[str, Mapping[str, float]]


def read_sentences(domain: Domain) -> Sentences:
    """What whisper seeks; raises `OSError`, and `msgspec.MsgspecError` for a damaged file."""
    return msgspec.msgpack.decode(domain.sentences.read_bytes(), type=Sentences)


def prepare(source: SpeakableSource, prefixes: Sequence[str], cache: Path) -> Domain:
    """Give the domain's files from `cache`, making them when what may be said is new.

    A fork makes them, since the sentences take far more memory than the recogniser that needs no
    more than their files. Files appear whole or not at all; the few domains used last are kept.
    Raises OSError when `cache` cannot be written, ValueError when no sentence has a word.
    """
    domain = domain_of(source, prefixes, cache)
    if not domain.is_there:
        with made_once(domain.network):
            if not domain.is_there:
                in_fork(lambda: _make(domain, source, prefixes, cache))
    mark_used(domain.network)
    return domain


def domain_of(source: SpeakableSource, prefixes: Sequence[str], cache: Path) -> Domain:
    """The domain's files in `cache`, whether they have been made or not."""
    key = _key(source.name, prefixes)
    return Domain(
        network=cache / f"{key}.fsg",
        dictionary=cache / f"{key}.dict",
        trigram=cache / f"{key}.arpa",
        short=cache / f"{key}.short",
        sentences=cache / f"{key}.sentences",
    )


def _make(domain: Domain, source: SpeakableSource, prefixes: Sequence[str], cache: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    gc.disable()  # this process ends soon, and what it makes is large
    speakable = source.draw()
    network = _network(speakable.sentences, speakable.classes, prefixes)
    # The pre-roll may hold the end of other speech before the wake word.
    woken = {prefix.split()[0] for prefix in prefixes}
    looped = network.with_loop(FILLERS, _PHONE_PROBABILITY, before=woken)
    short = _network(speakable.short, speakable.classes, prefixes) if speakable.short else None
    words = network.words | (short.words if short else frozenset())
    _write(domain.dictionary, _dictionary(words - FILLERS.keys()))
    _write(
        domain.short, short.with_loop(FILLERS, _PHONE_PROBABILITY).shared().fsg() if short else ""
    )
    _write(domain.trigram, arpa(drawn(speakable, prefixes, round(DRAWN * source.share))))
    _write(domain.network, looped.shared().fsg())
    every = Counter(speakable.sentences)
    every.update(speakable.short)
    sentences = Sentences(network=_compiled(every, prefixes), classes=speakable.classes)
    replace_file(domain.sentences, msgspec.msgpack.encode(sentences), 0o600, durable=False)
    _prune(cache)


def _key(source: str, prefixes: Sequence[str]) -> str:
    digest = hashlib.sha256("\n".join((_FORMAT, source, *prefixes)).encode())
    return digest.hexdigest()[:24]


def _network(
    sentences: Mapping[str, float],
    classes: Mapping[str, Mapping[str, float]],
    prefixes: Sequence[str],
) -> WordNetwork:
    """The network of the sentences, with the values of their classes in it."""
    network = _compiled(sentences, prefixes)
    phrases: dict[str, Mapping[str, float]] = {}
    for word in network.words:
        values = classes.get(word[0])
        if values is not None:
            ending = word[1:]  # a name's possessive
            phrases[word] = {f"{phrase}{ending}": often for phrase, often in values.items()}
    phones = tuple(FILLERS)
    for anything in _EVERYTHING:
        network = network.opened(anything, phones, _FREE_PHONE_PROBABILITY)
    return network.expanded(phrases)


def _compiled(sentences: Mapping[str, float], prefixes: Sequence[str]) -> WordNetwork:
    """The network of the sentences, in which classes are words.

    What may follow anything depends on whether the sentence ends with it.
    """
    ended = {
        f"{said}{ANYTHING}" if said.endswith(ANYTHING) else said: often
        for said, often in sentences.items()
    }
    return compile_network(ended, prefixes, strict=_EVERYTHING)


def _dictionary(words: Iterable[str]) -> str:
    entries = (*dictionary_entries(words), *FILLERS.items())
    return "".join(f"{name} {phones}\n" for name, phones in entries)


def _write(path: Path, text: str) -> None:
    replace_file(path, text.encode(), 0o600, durable=False)


def _prune(cache: Path) -> None:
    by_age = sorted(cache.glob("*.fsg"), key=lambda path: path.stat().st_mtime, reverse=True)
    for network in by_age[_KEPT:]:
        network.unlink(missing_ok=True)
        for suffix in (".dict", ".arpa", ".short", ".sentences"):
            network.with_suffix(suffix).unlink(missing_ok=True)
