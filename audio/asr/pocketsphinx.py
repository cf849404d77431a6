"""PocketSphinx: the skills' sentences as a word network, decoded while the person speaks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pocketsphinx
from numpy.typing import NDArray

from assistant.core.errors import RecognitionError
from assistant.core.messages import SAMPLE_RATE_HZ, Word
from assistant.core.speakable import SpeakableSource
from audio.asr.acoustic import model_options
from audio.asr.calibration import PocketSphinxCalibration
from audio.asr.cepstral_mean import BLOCK_S, CepstralMean
from audio.asr.confidence import Evidence, evidence
from audio.asr.decoder import CountedDecoder
from audio.asr.domain import FILLERS, Domain, prepare
from audio.asr.expected import expect
from audio.asr.free_text import filled, has_phones
from audio.asr.pronunciation import VOWELS
from audio.asr.recognizer import Recognition, SecondLook, recognition
from audio.asr.second_look.general import FRAMES_PER_S, spoken_words
from audio.asr.speech_span import SpeechSpan

_BLOCK = int(BLOCK_S * SAMPLE_RATE_HZ)
_BEAMS = {"beam": 1e-80, "pbeam": 1e-80, "wbeam": 1e-50, "maxhmmpf": 3000}

# A wrong word is stretched over sound that is not its own: the longest word in an order separates
# 26 right orders of the coffee benchmark at 7 dB from 13 wrong ones (area under the curve 0.72).
_STRETCHED_FRAMES = 17.0
_STRETCH_SLOPE = 4.0
_LEAST_CONFIDENCE = (
    0.05  # noise that passes for a sentence has a word below; right orders had none below 0.26
)

_WHOLE = {"cmn": "batch", "bestpath": True, "fwdflat": False, "maxhmmpf": 1000}
"""The trigram's options. At the end of an utterance it takes 0.045 of real time, 61 ms at the
median of 274 utterances and 122 ms at 95 %, which the wait for silence covers. With narrower beams,
every other frame or two Gaussians it takes two thirds of that, and hears 3 to 10 of 54 home
commands fewer."""
_LONGEST_WHOLE_S = 4.0
"""Seconds of sound beyond which the trigram would be late, as it is for the longest orders."""

_PAUSE_S = 0.08
"""Seconds of quiet in which the trigram looks at what was said: it may have been all. Most of its
work is then done before the recording is over."""

_LONGEST_ANSWER_S = 3.0
"""Seconds of speech after which it is no plain answer to a question."""
_LONGEST_ROW_S = 10.0
"""The same of answers in a row, such as the digits of a PIN."""
_SENTENCES, _ANSWERS = "_default", "answers"
"""The decoder's searches; the first is PocketSphinx's own name for the network of its settings."""

_FOLLOWS_FROM_S = 1.0
"""Seconds of sound, half of them in the phone loop, after which the second look begins, too."""

_SALAD_WORDS = 3
"""Words of no sentence after which it begins."""
_UNSURE = 0.7
"""Confidence below which general English may hear better where anything may be said."""

# Five seconds of kitchen noise hold at most one vowel for the phone loop, words of speech more.
_FEWEST_VOWELS = 3


class PocketSphinxRecognizer:
    """Recognises what `speakable` has, after any of `prefixes` or none.

    Decoding starts after half a second of speech, when the cepstral mean is known. At the end a
    plain trigram of the same sentences hears all of it: what it hears otherwise is an alternative.
    Other speech may come before a prefix. Speech that fits a loop of phones better than any
    sentence, or words whose `likelihood` as one is too small, is left to `look`, where there is
    one; silence and noise give nothing. Where a text `opens` a place for any words, `look` hears
    those; what both hear together must be a sentence that `fits`. The confidence of a word comes
    from how long it lasts for its phones. `transform` is the file of a map that moves the acoustic
    model's means; without a `calibration` a sentence is as sure as its least word, and none is too
    unlikely. Raises `RecognitionError` when the domain cannot be built.
    """

    name = "pocketsphinx"

    def __init__(
        self,
        speakable: SpeakableSource,
        prefixes: Sequence[str] = (),
        *,
        cache_dir: Path,
        look: SecondLook | None = None,
        likelihood: Callable[[str], float] = lambda text: 0.0,
        fits: Callable[[str], bool] = lambda text: False,
        opens: Callable[[str], bool] = lambda text: False,
        transform: Path | None = None,
        calibration: PocketSphinxCalibration | None = None,
    ) -> None:
        try:
            domain = prepare(speakable, prefixes, cache_dir)
            self._decoder = _decoder(domain, transform, fsg=str(domain.network), **_BEAMS)
            self._mean = CepstralMean(_feature_decoder(domain))
            self._trigram = _decoder(domain, transform, lm=str(domain.trigram), **_WHOLE)
        except (OSError, ValueError, RuntimeError) as error:
            message = f"PocketSphinx cannot use the skills' sentences from {cache_dir}: {error}"
            raise RecognitionError("asr.domain", message) from error
        self._look, self._likelihood, self._fits, self._opens = look, likelihood, fits, opens
        self._calibration = calibration
        self.evidence: Evidence | None = None
        """What speaks for the sentence that was heard last; None for none."""
        self.forks = look is None or look.forks
        self._span = SpeechSpan()
        self._expected: tuple[Sequence[str], bool] = ((), False)
        self._running = False

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Forget the last utterance and begin a new one, which is likely to be one of `answers`.

        With `in_a_row` it is any number of them. Of what is `unasked` a sentence counts that `look`
        hears, too: the network makes sentences of talk.
        """
        if self._running:
            self._end()
        self.evidence = None
        self._answers, self._in_a_row = answers, in_a_row
        if answers and (answers, in_a_row) != self._expected:
            expect(self._decoder, _ANSWERS, answers, in_a_row)
            self._expected = answers, in_a_row
        self._pending = np.zeros(0, np.int16)
        self._unasked = self._followed = unasked
        self._judged_words = 0
        if self._look is not None:
            self._look.start()
        self._span.start()
        self._backlog: list[bytes] = []
        self._sound: list[bytes] = []
        self._ahead: tuple[Word, ...] | None = None
        self._mean.start()
        self._decoder.reinit_feat()  # or its noise floor would remember the last utterance
        self._decoder.start_utt()
        self._running = True

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono, and decode their speech once the mean is known."""
        self._listen(self._span.feed(samples))
        self._look_ahead()
        if self._mean.known and self._look is not None:
            self._follow(self._look, len(samples) / SAMPLE_RATE_HZ)

    def _listen(self, speech: NDArray[np.int16]) -> None:
        self._pending = np.concatenate((self._pending, speech))
        while len(self._pending) >= _BLOCK:
            self._add(self._pending[:_BLOCK])
            self._pending = self._pending[_BLOCK:]
            if self._mean.known:
                self._decode()

    def finish(self) -> Recognition:
        """End the utterance and return what was said."""
        self._listen(self._span.finish())
        if len(self._pending):
            self._backlog.append(self._pending.tobytes())
            self._pending = self._pending[:0]
        self._decode()
        self._end()
        heard = spoken_words(self._decoder)
        words = self._believed(heard)
        if self._answers and (answer := self._answered()):
            text = " ".join(word.text for word in words)
            return msgspec.structs.replace(recognition(answer, self.name, text), expected=True)
        here = recognition((), self.name)
        if self._is_open(heard):
            return self._opened(heard) or here
        phones = [FILLERS[word.text] for word in heard if word.text in FILLERS]
        speech = bool(words) or sum(phone in VOWELS for phone in phones) >= _FEWEST_VOWELS
        if speech:
            here = self._judged(words)
        return self._looked(self._look, here, heard) if speech and self._look is not None else here

    def _is_open(self, heard: Sequence[Word]) -> bool:
        """Whether something else was said where anything may be, or no sentence has any path."""
        return has_phones(heard) or (not heard and len(self._other()) >= _SALAD_WORDS)

    def _opened(self, heard: Sequence[Word]) -> Recognition | None:
        """A sentence of usual words, as the trigram hears it, or one with free text, or neither."""
        if self._unasked:
            return None
        usual = self._other()
        if self._text(usual)[0]:
            return recognition(usual, self.name)
        if self._look is None:
            return None
        free = self._free(self._look)
        return self._filled(heard, free) or free

    def _free(self, look: SecondLook) -> Recognition:
        return look.finish(b"".join(self._sound), self._mean.text(), self._mean.speech_s)

    def _filled(self, heard: Sequence[Word], free: Recognition) -> Recognition | None:
        """A sentence of the words of what was `heard`, and of `free` ones where they open.

        None where they are no sentence in which anything may be said.
        """
        words = next(filter(self._fit, filled(heard, free.words)), ())
        return recognition(words, free.engine, free.text) if words else None

    def _fit(self, words: Sequence[Word]) -> bool:
        return self._fits(" ".join(word.text for word in words))

    def _judged(self, words: tuple[Word, ...]) -> Recognition:
        """The recognition of `words` with how sure it is, and what the trigram hears otherwise.

        Words that are no sentence of the domain are left out of both.
        """
        text, likelihood = self._text(words)
        other, _ = self._text(self._other())
        agreed = self._phones(text) == self._phones(other)  # "for" and "four" are one to an ear
        here = recognition(words if text else (), self.name, "" if agreed else other)
        if not text:
            return here
        self.evidence = evidence(self._decoder, words, likelihood, agreed)
        if self._calibration is None:
            return here
        sure = self._calibration.sentence.chance(self.evidence)
        return msgspec.structs.replace(here, confidence=sure)

    def _phones(self, text: str) -> str:
        return " ".join(self._decoder.lookup_word(word) or word for word in text.split())

    def _look_ahead(self) -> None:
        """Let the trigram hear what was said so far when a pause begins; speech makes that void."""
        if self._span.quiet_s < _PAUSE_S:
            self._ahead = None
        else:
            self._other()

    def _other(self) -> tuple[Word, ...]:
        """What the trigram hears, or heard when the last pause began."""
        if self._ahead is None:
            self._ahead = self._whole()
        return self._ahead

    def _whole(self) -> tuple[Word, ...]:
        """What the trigram hears of all that was said; () where that would take too long.

        It has the mean of all of it, which nobody knows before the end.
        """
        sound = b"".join((*self._sound, *self._backlog, self._pending.tobytes()))
        if not 0 < len(sound) <= 2 * SAMPLE_RATE_HZ * _LONGEST_WHOLE_S:
            return ()
        self._trigram.reinit_feat()  # or its noise floor would remember the last utterance
        self._trigram.start_utt()
        self._trigram.process_raw(sound, full_utt=True)
        self._trigram.end_utt()
        return spoken_words(self._trigram)

    def _text(self, words: Sequence[Word]) -> tuple[str, float]:
        """The text of `words` and its likelihood; "" where it is no sentence of the domain."""
        text = " ".join(word.text for word in words)
        likelihood = self._likelihood(text) if text else -math.inf
        known = self._calibration
        plausible = known is None or known.is_plausible(likelihood, len(words))
        return (text, likelihood) if plausible else ("", likelihood)

    def _looked(self, look: SecondLook, here: Recognition, heard: Sequence[Word]) -> Recognition:
        """What the second look leaves of what was heard `here`, or hears in its place."""
        if self._unasked:
            sound = b"".join(self._sound)
            agreed = here.text and look.agrees(sound, self._mean.text(), here.text)
            return here if agreed else recognition((), self.name)
        if here.words:
            unsure = here.confidence < _UNSURE and self._opens(here.text)
            better = self._filled(heard, self._free(look)) if unsure else None
            return better or here
        free = self._free(look)
        return recognition(free.words, free.engine, *here.alternatives) if free.words else here

    def _believed(self, heard: tuple[Word, ...]) -> tuple[Word, ...]:
        """The words of what was heard, rated; () where one of them is noise."""
        words = _rated(tuple(w for w in heard if w.text not in FILLERS), self._decoder)
        return () if any(word.confidence < _LEAST_CONFIDENCE for word in words) else words

    def _answered(self) -> tuple[Word, ...]:
        """The words of an answer that is expected; () where the phone loop has any of the sound.

        Among all that may be said, "yes" and "no" are few and short: a quarter of them were lost.
        """
        sound = b"".join(self._sound)
        longest_s = _LONGEST_ROW_S if self._in_a_row else _LONGEST_ANSWER_S
        if not 0 < len(sound) <= 2 * SAMPLE_RATE_HZ * longest_s:
            return ()
        self._decoder.activate_search(_ANSWERS)
        self._decoder.reinit_feat()
        self._decoder.start_utt()
        self._decoder.set_cmn(self._mean.text())
        self._decoder.process_raw(sound, full_utt=True)
        self._decoder.end_utt()
        heard = spoken_words(self._decoder)
        filled = any(word.text in FILLERS for word in heard)
        words = () if filled else self._believed(heard)
        self._decoder.activate_search(_SENTENCES)
        return words

    def _follow(self, look: SecondLook, passed_s: float) -> None:
        """Let `look` follow once phones have much of the sound, or words are no sentence."""
        if not self._followed:
            path = spoken_words(self._decoder)
            spans = [(w.end_s - w.start_s, w.text in FILLERS) for w in path]
            phones = sum(length for length, filler in spans if filler)
            heard = sum(length for length, _ in spans)
            words = [word for word in path if word.text not in FILLERS]
            if heard >= _FOLLOWS_FROM_S and phones > heard / 2:
                self._followed = True
            elif len(words) > self._judged_words:
                self._judged_words = len(words)
                salad = len(words) >= _SALAD_WORDS and not self._text(words)[0]
                self._followed = salad or self._opens(" ".join(word.text for word in words))
        if self._followed:
            look.follow(b"".join(self._sound), self._mean.text(), passed_s)

    def _add(self, block: NDArray[np.int16]) -> None:
        self._mean.add(block.tobytes())
        self._backlog.append(block.tobytes())

    def _decode(self) -> None:
        self._decoder.set_cmn(self._mean.text())
        if self._backlog:
            self._decoder.process_raw(b"".join(self._backlog))
            self._sound += self._backlog
            self._backlog = []

    def _end(self) -> None:
        self._decoder.end_utt()
        self._mean.finish()
        self._running = False


def _decoder(domain: Domain, transform: Path | None, **options: object) -> pocketsphinx.Decoder:
    settings = {"lm": None, "cmn": "live", "bestpath": False, "loglevel": "FATAL", **options}
    return CountedDecoder(**model_options(transform), dict=str(domain.dictionary), **settings)


def _feature_decoder(domain: Domain) -> pocketsphinx.Decoder:
    # A decoder must search something when an utterance ends: a single word is cheapest.
    word = domain.dictionary.read_text("utf-8").split(maxsplit=1)[0]
    decoder = _decoder(domain, None, jsgf=None, ds=16)
    decoder.add_jsgf_string("word", f"#JSGF V1.0; grammar word; public <word> = {word};")
    decoder.activate_search("word")
    return decoder


def _rated(words: tuple[Word, ...], decoder: pocketsphinx.Decoder) -> tuple[Word, ...]:
    return tuple(
        msgspec.structs.replace(word, confidence=_confidence(decoder, word)) for word in words
    )


def _confidence(decoder: pocketsphinx.Decoder, word: Word) -> float:
    phones = len(decoder.lookup_word(word.text).split())
    stretch = (word.end_s - word.start_s) * FRAMES_PER_S / phones
    return 1.0 / (1.0 + math.exp((stretch - _STRETCHED_FRAMES) / _STRETCH_SLOPE))
