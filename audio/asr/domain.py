"""The files of what may be said, for PocketSphinx and for whisper, made once and then cached."""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from assistant.core.constrained.word_network import WordNetwork, compile_network
from assistant.core.files import made_once, mark_used, replace_file
from assistant.core.fork import in_fork
from assistant.core.speakable import ANYTHING, SpeakableSource
from audio.asr.pronunciation import PHONES, dictionary_entries
from audio.asr.trigram import DRAWN, arpa, drawn

_FORMAT = "15"  # changes whenever the same source would give other files
_KEPT = 8
"""Most that are kept of each kind, 3 MB each: the daemon's, and those of what was tried lately."""
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
    """For PocketSphinx: a word network in Sphinx's FSG format, a dictionary and a trigram model.

    The dictionary has just their words. The trigram, in ARPA format, is of the same sentences.
    Short forms are none of them: they are lost among sentences, and cost these.
    """

    network: Path
    dictionary: Path
    trigram: Path


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """For whisper: `Sentences` in msgpack, and the word network of them, in which they may end.

    Both have the short forms as well. The classes have their values in the network.
    """

    sentences: Path
    ends: Path


_Files = TypeVar("_Files", Domain, Sought)


def are_there(files: Domain | Sought) -> bool:
    """Whether all files have been made."""
    return all(file.exists() for file in msgspec.structs.astuple(files))


class Sentences(msgspec.Struct, frozen=True, kw_only=True):
    """A network of words, some of which are classes: their word → phrases → how often each."""

    network: WordNetwork
    classes: Mapping[str, Mapping[str, float]]


def read_sentences(sought: Sought) -> Sentences:
    """What whisper seeks; raises `OSError`, and `msgspec.MsgspecError` for a damaged file."""
    return msgspec.msgpack.decode(sought.sentences.read_bytes(), type=Sentences)


def prepare(source: SpeakableSource, prefixes: Sequence[str], cache: Path) -> Domain:
    """Give PocketSphinx's files from `cache`, making them when what may be said is new.

    A fork makes them, since the sentences take far more memory than the recogniser that needs no
    more than their files. Files appear whole or not at all; the few domains used last are kept.
    Raises OSError when `cache` cannot be written, ValueError when no sentence has a word.
    """
    return _made(domain_of(source, prefixes, cache), _make_domain, source, prefixes)


def prepare_sought(source: SpeakableSource, prefixes: Sequence[str], cache: Path) -> Sought:
    """Give whisper's files, as `prepare` does PocketSphinx's."""
    return _made(sought_of(source, prefixes, cache), _make_sought, source, prefixes)


def domain_of(source: SpeakableSource, prefixes: Sequence[str], cache: Path) -> Domain:
    """PocketSphinx's files in `cache`, whether they have been made or not."""
    key = _key(source.name, prefixes)
    return Domain(
        network=cache / f"{key}.fsg",
        dictionary=cache / f"{key}.dict",
        trigram=cache / f"{key}.arpa",
    )


def sought_of(source: SpeakableSource, prefixes: Sequence[str], cache: Path) -> Sought:
    """Whisper's files in `cache`, whether they have been made or not."""
    key = _key(source.name, prefixes)
    return Sought(sentences=cache / f"{key}.sentences", ends=cache / f"{key}.ends")


def _made(
    files: _Files,
    make: Callable[[_Files, SpeakableSource, Sequence[str]], None],
    source: SpeakableSource,
    prefixes: Sequence[str],
) -> _Files:
    """The `files`, which a fork makes where one is not there."""
    first, *others = msgspec.structs.astuple(files)

    def work() -> None:
        first.parent.mkdir(parents=True, exist_ok=True)
        gc.disable()  # this process ends soon, and what it makes is large
        make(files, source, prefixes)
        _prune(first, others)

    if not are_there(files):
        with made_once(first):
            if not are_there(files):
                in_fork(work)
    mark_used(first)
    return files


def _make_domain(domain: Domain, source: SpeakableSource, prefixes: Sequence[str]) -> None:
    speakable = source.draw()
    network = _network(speakable.sentences, speakable.classes, prefixes)
    # The pre-roll may hold the end of other speech before the wake word.
    woken = {prefix.split()[0] for prefix in prefixes}
    looped = network.with_loop(FILLERS, _PHONE_PROBABILITY, before=woken)
    _write(domain.dictionary, _dictionary(network.words - FILLERS.keys()))
    _write(domain.trigram, arpa(drawn(speakable, prefixes, round(DRAWN * source.share))))
    _write(domain.network, looped.shared().fsg())


def _make_sought(sought: Sought, source: SpeakableSource, prefixes: Sequence[str]) -> None:
    speakable = source.draw()
    every = Counter(speakable.sentences)
    every.update(speakable.short)
    network = _compiled(every, prefixes)
    _write(sought.ends, _expanded(network, speakable.classes).shared().fsg())
    sentences = Sentences(network=network, classes=speakable.classes)
    replace_file(sought.sentences, msgspec.msgpack.encode(sentences), 0o600, durable=False)


def _key(source: str, prefixes: Sequence[str]) -> str:
    digest = hashlib.sha256("\n".join((_FORMAT, source, *prefixes)).encode())
    return digest.hexdigest()[:24]


def _network(
    sentences: Mapping[str, float],
    classes: Mapping[str, Mapping[str, float]],
    prefixes: Sequence[str],
) -> WordNetwork:
    """The network of the sentences, with the values of their classes, and phones for anything."""
    network = _compiled(sentences, prefixes)
    phones = tuple(FILLERS)
    for anything in _EVERYTHING:
        network = network.opened(anything, phones, _FREE_PHONE_PROBABILITY)
    return _expanded(network, classes)


def _expanded(network: WordNetwork, classes: Mapping[str, Mapping[str, float]]) -> WordNetwork:
    """The network, with the values of the classes in it."""
    phrases: dict[str, Mapping[str, float]] = {}
    for word in network.words:
        values = classes.get(word[0])
        if values is not None:
            ending = word[1:]  # a name's possessive
            phrases[word] = {f"{phrase}{ending}": often for phrase, often in values.items()}
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


def _prune(first: Path, others: Iterable[Path]) -> None:
    """Remove all but the files of this kind that were used last."""
    same = first.parent.glob(f"*{first.suffix}")
    for old in sorted(same, key=lambda path: path.stat().st_mtime, reverse=True)[_KEPT:]:
        for suffix in (first.suffix, *(other.suffix for other in others)):
            old.with_suffix(suffix).unlink(missing_ok=True)
