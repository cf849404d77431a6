"""Builds the parts that hear and speak, as the settings say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from assistant.core.config import Config
from assistant.core.degraded import Degraded, SimplerPath
from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import ConfigError
from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library, ModelState
from assistant.core.models.providers import PROVIDERS
from assistant.core.models.usage import Meter
from assistant.core.network.hub import Hub
from assistant.core.speakable import SpeakableSource
from audio.asr.acoustic import MODEL as ACOUSTIC
from audio.asr.acoustic import transform_file
from audio.asr.calibration import HearingCalibration
from audio.asr.constrained.decoder import PieceDecoder
from audio.asr.constrained.recognizer import ConstrainedWhisper
from audio.asr.domain import (
    Sought,
    are_there,
    domain_of,
    prepare,
    prepare_sought,
    read_sentences,
    sought_of,
)
from audio.asr.likelihood import Likelihood
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognizer, SecondLook
from audio.asr.second_look.general import GeneralEnglish
from audio.asr.second_look.hub import HubAhead, HubLook
from audio.asr.stage import AsrStage
from audio.asr.tandem import PART as WHISPER
from audio.asr.tandem import Ahead, Aside, Spared, known_pace, pace
from audio.asr.waiting import Waiting
from audio.asr.whisper import WhisperRecognizer
from audio.canceller import EchoCanceller
from audio.ear import Ear
from audio.listener import Listener
from audio.own_voice import OwnVoice
from audio.tts.select import select as select_voice
from audio.tts.stage import VoiceStage
from audio.wake.engine import WakeWordEngine
from audio.wake.judge import WakeWordJudge
from audio.wake.own.store import EnrolledPhrases
from audio.wake.own_words import StopWord, own_engines
from audio.wake.select import select


def make_own_voice(config: Config) -> OwnVoice:
    """Make what follows the assistant's own voice for wake words and for "stop"."""
    engines = own_engines(
        lambda wake: make_wake_word(msgspec.structs.replace(config, wake=wake)), config.wake
    )
    cancellers = [EchoCanceller() for _ in config.audio.inputs]
    return OwnVoice(engines, config.audio.playback_grace_s, cancellers)


def make_wake_word(config: Config) -> WakeWordEngine:
    """Make what hears the wake words of the settings, the enrolled ones among them.

    Raises `ConfigError` or `WakeWordError`.
    """
    PROVIDERS.choose(config.models.providers)
    return select(config.wake, EnrolledPhrases(config.state_dir), Library(config.models_dir))


def make_listener(
    config: Config, wake: bool = True, own_voice: OwnVoice | None = None, microphones: int = 1
) -> Listener:
    """Make the listener of the settings; without `wake`, any speech is an utterance.

    With `own_voice`, "stop" also works while a reply plays. Raises `WakeWordError`.
    """

    def ear(area: str) -> Ear:
        heard = own_voice or OwnVoice()
        stop = StopWord() if own_voice else None
        return Ear(config.listening, make_wake_word(config), heard, stop, area)

    areas = (*config.audio.areas, *[""] * microphones)
    return Listener(
        config.listening,
        make_wake_word(config) if wake else None,
        own_voice=own_voice,
        stop_word=StopWord() if own_voice else None,
        locator=_locator(config) if wake else None,
        further=[ear(area) for area in areas[1:microphones]],
        area=areas[0],
    )


def _locator(config: Config) -> WakeWordEngine | None:
    """A second engine that finds where a wake word ended; None where it would take too long."""
    engine = make_wake_word(config)
    if engine.locates:
        return engine
    engine.close()
    return None


def make_judge(config: Config, library: Library) -> WakeWordJudge | None:
    """Make what judges wake words that are in doubt, to measure it; None where whisper is not here.

    It has a whisper of its own, 150 MB. The daemon's judge has that of recognition (`Recognition`),
    in the same process, and costs only the arrays it computes in.
    """
    if not library.present(config.asr.model):
        return None
    folder, threads = library.folder(config.asr.model), config.asr.threads
    whisper = WhisperRecognizer(folder, threads=threads)
    decoder = PieceDecoder(folder, config.cache_dir / "whisper", threads)
    return WakeWordJudge(whisper, decoder, Degraded("asr"))


SENTENCES = "sentences"
"""The part that fails where whisper cannot seek what is speakable, or an engine knows not how sure
it may be."""
HEARING = "hearing"
"""The artefact that tells what an engine's own scores mean."""


class Recognition:
    """Speech recognition: what is `speakable`, and free speech by whisper where its model is.

    `few` gives some of it, quickly: the stage begins with it where the files of all are not made.
    `hints` are names that whisper should know, `texts` those of the user's own, with more names;
    `keep` takes the sound of what is to be recorded.
    """

    def __init__(
        self,
        config: Config,
        library: Library,
        speakable: SpeakableSource,
        hints: Sequence[str] = (),
        keep: Callable[[str, bytes], None] = lambda utterance_id, samples: None,
        simpler: SimplerPath | None = None,
        few: SpeakableSource | None = None,
        texts: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._config, self._library, self._all, self._few = config, library, speakable, few
        self._hints, self._keep, self._texts = hints, keep, texts
        self._judge: WakeWordJudge | None = None
        self.faults = Degraded("asr", simpler)

    def prepare(self) -> None:
        """Make the files of what is speakable, where that is new: it takes seconds."""
        make = prepare_sought if self._seeks else prepare
        make(self._all, self._prefixes, self._domains)

    @property
    def unfinished(self) -> bool:
        """Whether the stage is one of few sentences."""
        return self._speakable is not self._all

    @cached_property
    def _speakable(self) -> SpeakableSource:
        """What the stage is made of."""
        files = sought_of if self._seeks else domain_of
        made = are_there(files(self._all, self._prefixes, self._domains))
        return self._all if made or self._few is None else self._few

    def stage(self, waiting: Waiting | None = None) -> AsrStage:
        """The stage, with what is `waiting`; raises `ConfigError` for a name that is no model's."""
        recognizer = self.recognizer()
        return AsrStage(
            *(recognizer, self.faults, self._ending.of_ending, self._keep),
            waiting=waiting,
            wake_words=self._prefixes,
            confirms=self._judge.hears if self._judge is not None else lambda *_: False,
        )

    @cached_property
    def _seeks(self) -> bool:
        """Whether whisper leads, so that PocketSphinx's files are made only where it fails.

        Until whisper was loaded, this is what was last measured.
        """
        settings = self._config.asr
        if settings.engine != "auto":
            return settings.engine == "whisper"
        if self._library.state(settings.model) is ModelState.ABSENT:
            return False
        here = known_pace(self._pace_key, self._config.cache_dir)
        return here is not None and here.leads

    @property
    def _ending(self) -> Likelihood:
        """The network of what is speakable, of the recogniser that leads."""
        if not self._seeks:
            return self._likelihood
        return Likelihood(self._sought().ends)

    @cached_property
    def _likelihood(self) -> Likelihood:
        """PocketSphinx's network of what is speakable."""
        return Likelihood(prepare(self._speakable, self._prefixes, self._domain_cache).network)

    def recognizer(self) -> Recognizer:
        """The engine that the settings and the models here allow."""
        own = self._own_recognizer()
        return HubAhead(self._hub, own) if self._hub_hears("all") else own

    def _own_recognizer(self) -> Recognizer:
        settings = self._config.asr
        whisper = None
        if settings.engine != "pocketsphinx":
            self._require_known(settings.model)
            whisper = self.faults.load_or_none(WHISPER, self._whisper)
        if whisper is None:
            self._seeks = False
            return self._without_whisper()
        if settings.engine == "whisper":
            return self._constrained(whisper)
        here = pace(whisper, self._pace_key, self._config.cache_dir)
        self._seeks = here.leads
        if here.leads:
            return Ahead(self._constrained(whisper), self._without_whisper, self.faults)
        aside = Aside(whisper, here, GeneralEnglish(transform=self._transform), self.faults)
        return self._domain(self._with_hub(aside))

    def _without_whisper(self) -> Recognizer:
        return self._domain(self._with_hub(GeneralEnglish(transform=self._transform)))

    def _with_hub(self, look: SecondLook) -> SecondLook:
        """The hub's ear before this second look, where it hears what is unclear."""
        return HubLook(self._hub, look) if self._hub_hears("unclear") else look

    def _hub_hears(self, what: str) -> bool:
        return bool(self._config.hub.url) and self._config.hub.hears == what

    @property
    def _hub(self) -> Hub:
        return Hub(self._config.hub, self._config.network_socket)

    def _domain(self, look: SecondLook | None) -> PocketSphinxRecognizer:
        known = self.faults.load_or_none(SENTENCES, self._believes)
        return PocketSphinxRecognizer(
            self._speakable,
            self._prefixes,
            cache_dir=self._domain_cache,
            look=Spared(look, self.faults) if look is not None else None,
            likelihood=self._likelihood.of,
            fits=self._likelihood.fits,
            opens=self._likelihood.opens,
            transform=self._transform,
            calibration=known.pocketsphinx if known is not None else None,
        )

    def _believes(self) -> HearingCalibration:
        return read_calibration(self._library, HEARING, HearingCalibration)

    @cached_property
    def _transform(self) -> Path | None:
        """The file of the acoustic model's map; None where it is damaged, and the ear is worse."""
        return self.faults.load_or_none(ACOUSTIC, lambda: transform_file(self._library))

    @property
    def _prefixes(self) -> list[str]:
        """What may be said before a sentence: the wake words."""
        return [keyword.replace("_", " ") for keyword in self._config.wake.keywords]

    @property
    def _domains(self) -> Path:
        return self._config.cache_dir / "asr"

    @property
    def _domain_cache(self) -> Path:
        """Where the stage's domain is; one of few sentences, soon of no use, lies apart."""
        return self._domains / "few" if self.unfinished else self._domains

    def _whisper(self) -> WhisperRecognizer | None:
        """The recogniser of free speech; None where its model was never requested."""
        settings = self._config.asr
        if settings.engine == "auto" and self._library.state(settings.model) is ModelState.ABSENT:
            return None
        self._library.read(settings.model)  # what is corrupt is never loaded
        folder = self._library.folder(settings.model)
        meter = Meter(settings.model, self._library.version(settings.model), settings.threads)
        return WhisperRecognizer(folder, threads=settings.threads, hints=self._hints, meter=meter)

    def _constrained(self, whisper: WhisperRecognizer) -> Recognizer:
        """Whisper that seeks what is speakable; as it is where that cannot be."""

        def make() -> ConstrainedWhisper:
            believes = self._believes().whisper
            folder = self._library.folder(self._config.asr.model)
            cache = self._config.cache_dir / "whisper"
            decoder = PieceDecoder(folder, cache, self._config.asr.threads)
            sentences = read_sentences(self._sought())
            self._judge = WakeWordJudge(whisper, decoder, self.faults)
            return ConstrainedWhisper(
                *(whisper, decoder, sentences, believes, self.faults), self._texts
            )

        return self.faults.load_or_none(SENTENCES, make) or whisper

    def _sought(self) -> Sought:
        return prepare_sought(self._speakable, self._prefixes, self._domain_cache)

    @property
    def _pace_key(self) -> str:
        """What whisper's pace depends on, beside the machine."""
        model = self._config.asr.model
        return f"{model} {self._library.in_use(model).version} {self._config.asr.threads}"

    def _require_known(self, model: str) -> None:
        known = self._library.artefacts
        if model not in known:
            message = f'asr.model: there is no model "{model}"; {did_you_mean(model, known)}'
            raise ConfigError("config.model", message)


def make_voice(config: Config, library: Library, simpler: SimplerPath | None = None) -> VoiceStage:
    """Make the voice; raises `SpeakingError` when there is none."""
    faults = Degraded("voice", simpler)
    return VoiceStage(select_voice(config.voice, library, faults), faults)
