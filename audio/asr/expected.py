"""The answers to an open question, as a small network of their own beside all that may be said."""

from __future__ import annotations

from collections.abc import Sequence

import pocketsphinx

from assistant.core.constrained.word_network import compile_network
from audio.asr.domain import FILLERS
from audio.asr.pronunciation import dictionary_entries

_PHONE_PROBABILITY = 0.02


def expect(
    decoder: pocketsphinx.Decoder, search: str, answers: Sequence[str], in_a_row: bool = False
) -> None:
    """Put `answers` and the phone loop into `search` of the decoder, in place of earlier ones.

    With `in_a_row` any number of them may follow one another.
    """
    network = compile_network(dict.fromkeys(answers, 1.0))
    if in_a_row:
        network = network.repeated()
    new = [word for word in network.words if decoder.lookup_word(word) is None]
    for name, phones in dictionary_entries(new):
        decoder.add_word(name, phones, update=False)
    looped = network.with_loop(FILLERS, _PHONE_PROBABILITY)
    # A network from a file is weighed by PocketSphinx, one that is made here is not.
    weight = decoder.config["lw"]
    arcs = [
        (arc.source, arc.target, arc.probability**weight, *filter(None, [arc.word]))
        for arc in looped.arcs
    ]
    decoder.add_fsg(search, decoder.create_fsg(search, looped.start, looped.final, arcs))
