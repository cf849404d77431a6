"""Whisper leads where it is quick enough, and elsewhere looks at what fits no sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assistant.core.config import AsrSettings, Config, StorageSettings
from assistant.core.degraded import Degraded
from assistant.core.errors import RecognitionError
from assistant.core.messages import AudioChunk, Transcript, Utterance, Word
from assistant.core.models.manifest import Library
from assistant.core.speakable import always
from assistant.model_files.pull import import_model
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognition as Recognised
from audio.asr.recognizer import Recognizer
from audio.asr.second_look.general import GeneralEnglish
from audio.asr.tandem import PART, Ahead, Aside, Pace, Spared, pace, read_pace
from audio.asr.whisper import WhisperRecognizer
from audio.build import Recognition
from tests.conftest import REPOSITORY
from tests.support.scripted_whisper import write_whisper
from tests.support.simpler import Switched
from tests.support.voices import speech

SENTENCES = [f"turn {way} the {room} light" for way in ("on", "off") for room in ("hall", "den")]
WHISPERS, POCKETSPHINXS = {".sentences", ".ends"}, {".fsg", ".dict", ".arpa"}
QUICK, SLOW = Pace(key="", command_s=0.1), Pace(key="", command_s=0.7)


class Broken(WhisperRecognizer):
    """A model that failed while it ran."""

    def words(self, samples: np.ndarray) -> tuple[Word, ...]:
        raise RecognitionError("asr.whisper", "no memory")


@pytest.fixture
def whisper(tmp_path: Path) -> WhisperRecognizer:
    return WhisperRecognizer(write_whisper(tmp_path / "whisper", ["Paint", "it", "black."]))


@pytest.fixture
def broken(tmp_path: Path) -> Broken:
    return Broken(write_whisper(tmp_path / "broken", ["Paint"]))


Domain = Callable[..., PocketSphinxRecognizer]


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """Makes a recogniser of the sentences, whose files are made once."""
    return partial(
        PocketSphinxRecognizer, always(SENTENCES), cache_dir=tmp_path_factory.mktemp("asr")
    )


def hear(recognizer: Recognizer, text: str) -> Recognised:
    recognizer.start()
    for frame in speech(text):
        recognizer.feed(np.frombuffer(frame, np.int16))
    return recognizer.finish()


def test_ahead_whisper_hears_alone(whisper: WhisperRecognizer) -> None:
    heard = hear(Ahead(whisper, pytest.fail, Degraded("asr")), "turn on the hall light")
    assert (heard.text, heard.engine, heard.alternatives) == ("paint it black", "whisper", ())


def test_once_whisper_has_failed_pocketsphinx_goes_on_alone(domain: Domain, broken: Broken) -> None:
    faults = Degraded("asr")
    ahead = Ahead(broken, domain, faults)
    for _ in range(2):
        heard = hear(ahead, "turn on the hall light")
        assert (heard.text, heard.engine) == ("turn on the hall light", "pocketsphinx")
    (told,) = faults.take_reports()
    assert (told.part, told.code) == (PART, "asr.whisper")


OTHER = "where does the water come from in the summer"


def test_aside_whisper_hears_only_what_fits_no_sentence(
    domain: Domain, whisper: WhisperRecognizer
) -> None:
    aside = Aside(whisper, SLOW, GeneralEnglish(), Degraded("asr"))
    recogniser = domain(look=aside)
    assert hear(recogniser, "turn on the hall light").engine == "pocketsphinx"
    heard = hear(recogniser, OTHER)
    assert (heard.text, heard.engine) == ("paint it black", "whisper")


@pytest.mark.parametrize("late", [True, False])
def test_general_english_looks_where_whisper_would_be_late_or_has_failed(
    domain: Domain, whisper: WhisperRecognizer, broken: Broken, late: bool
) -> None:
    model, here = (whisper, Pace(key="", command_s=1.1)) if late else (broken, QUICK)
    general = GeneralEnglish(clock=lambda: 0.0)
    heard = hear(domain(look=Aside(model, here, general, Degraded("asr"))), OTHER)
    assert heard.engine == "pocketsphinx"
    assert heard.text.endswith("in the summer")


def test_who_leads_is_measured_once_for_a_model_and_a_machine(tmp_path: Path) -> None:
    class Timed(WhisperRecognizer):
        def command_s(self, duration_s: float, clock: object = None) -> float:
            asked.append(duration_s)
            return 0.3

    asked: list[float] = []
    timed = Timed(write_whisper(tmp_path / "whisper", ["Paint"]))
    assert read_pace(tmp_path / "cache") is None
    first = pace(timed, "tiny 1 2", tmp_path / "cache")
    assert pace(timed, "tiny 1 2", tmp_path / "cache") == first == read_pace(tmp_path / "cache")
    assert (first.leads, asked) == (True, [4.0])
    assert pace(timed, "base 1 2", tmp_path / "cache") != first
    (tmp_path / "cache" / "whisper-pace.json").write_bytes(b"{")
    assert pace(timed, "tiny 1 2", tmp_path / "cache") == first
    assert asked == [4.0] * 3


def test_a_slow_machine_waits_for_no_long_speech() -> None:
    assert not SLOW.leads
    assert SLOW.looks_at(4.0)
    assert not SLOW.looks_at(20.0)  # nearly two windows of twelve seconds
    assert msgspec.structs.replace(SLOW, command_s=0.4).leads


@pytest.mark.parametrize(
    ("engine", "command_s", "leads", "heard"),
    [
        ("auto", 0.1, True, "turn on the den light"),
        ("auto", 0.7, False, "turn on the hall light"),
        ("whisper", 0.7, True, "turn on the den light"),
        ("pocketsphinx", 0.1, False, "turn on the hall light"),
    ],
)
def test_the_settings_and_the_machine_say_who_leads_and_whose_files_are_made(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    command_s: float,
    leads: bool,
    heard: str,
) -> None:
    library = library_with_whisper(tmp_path)
    config = Config(
        asr=AsrSettings(engine=engine, model="tiny"),
        storage=StorageSettings(cache=str(tmp_path / "cache")),
    )
    monkeypatch.setattr(WhisperRecognizer, "command_s", lambda self, duration_s: command_s)
    stage = Recognition(config, library, always(SENTENCES), ["den"]).stage()
    Recognition(config, library, always(SENTENCES)).prepare()
    kinds = {made.suffix for made in (tmp_path / "cache" / "asr").iterdir()}
    assert kinds == (WHISPERS if leads else POCKETSPHINXS)
    for number, sound in enumerate(speech("turn on the hall light")):
        chunk = AudioChunk(utterance_id="u", sequence=number, samples=sound, at_s=1.0)
        assert list(stage.feed(chunk)) == []
    over = Utterance(
        utterance_id="u",
        revision=0,
        wake_word="",
        duration_s=2.0,
        speech_s=1.5,
        speech_ended_at_s=1.0,
        at_s=1.0,
    )
    (transcript,) = stage.feed(over)
    assert isinstance(transcript, Transcript)
    assert transcript.text == heard
    assert transcript.ends > 0.9


def library_with_whisper(tmp_path: Path) -> Library:
    """A library with a model that says "turn on the den light"."""
    model = write_whisper(
        tmp_path / "made", ["turn", "on", "the", "den", "light"], knows="hall off"
    )
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    files = ", ".join(f'{{ name = "{file.name}" }}' for file in sorted(model.iterdir()))
    hearing = REPOSITORY / "models" / "hearing"
    known = (hearing / "calibration.json").read_bytes()
    digest = hashlib.sha256(known).hexdigest()
    (shipped / "hearing").symlink_to(hearing)
    (shipped / "manifest.toml").write_text(
        f"""
        [tiny]
        version = "1"
        kind = "asr"
        summary = "a test"
        licence = "CC0"
        source = "hf:owner/tiny"
        revision = "{"c" * 40}"
        inputs = {{ features = "float32[1]" }}
        outputs = {{ tokens = "int32[1]" }}
        files = [{files}]
        [hearing]
        version = "1"
        kind = "hearing"
        summary = "as it ships"
        licence = "Apache-2.0"
        source = "shipped"
        inputs = {{}}
        outputs = {{}}
        files = [{{ name = "calibration.json", bytes = {len(known)}, sha256 = "{digest}" }}]
        """,
        "utf-8",
    )
    library = Library(tmp_path / "pulled", shipped)
    import_model(library, "tiny", model)
    return library


def test_on_the_simpler_path_nothing_is_looked_at_twice(
    domain: Domain, whisper: WhisperRecognizer
) -> None:
    simpler = Switched()
    faults = Degraded("asr", simpler.path)
    aside = domain(look=Spared(Aside(whisper, SLOW, GeneralEnglish(), faults), faults))
    simpler.on()
    assert hear(aside, "turn on the hall light").text == "turn on the hall light"
    assert hear(aside, OTHER).text == ""
    simpler.off()
    assert hear(aside, OTHER).engine == "whisper"


def test_on_the_simpler_path_nobody_agrees_with_what_was_not_asked(
    whisper: WhisperRecognizer,
) -> None:
    simpler = Switched()
    faults = Degraded("asr", simpler.path)
    look = Spared(Aside(whisper, SLOW, GeneralEnglish(), faults), faults)
    sound = b"".join(speech(OTHER))
    assert look.agrees(sound, "", "paint it black")
    simpler.on()
    assert not look.agrees(sound, "", "paint it black")
