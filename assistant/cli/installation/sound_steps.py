"""The steps of `assistant setup` about sound: microphone, loudspeaker and wake word."""

from __future__ import annotations

from contextlib import closing

from assistant.cli.installation.asking import Asker, tell
from assistant.core.config import Config
from assistant.core.errors import AssistantError, AudioError, ConfigError, SpeakingError
from assistant.core.models.manifest import Library
from assistant.core.settings.hearing import WakeSettings
from assistant.setup.sound import Heard, best, candidates, open_microphones, play
from audio.tts.select import select as select_voice
from audio.wake import microwakeword, porcupine
from audio.wake.engine import WakeWordEngine
from audio.wake.own.store import EnrolledPhrases
from audio.wake.select import select as select_wake_word

LISTEN_S = 5.0
WAKE_S = 10.0
SENSITIVITY = 0.8
_SENTENCE = "This is loudspeaker {number}. Do you hear me?"


def microphone(asker: Asker) -> str | None:
    """The microphone that hears the user best; None where that is not found out."""
    asker.head("Microphone")
    if not asker.yes("Shall I listen which microphone hears you best?", asker.asks):
        return None
    try:
        names = candidates("input")
        tell(f"One moment: I try {len(names)} …")
        with open_microphones(names) as microphones:
            while True:
                tell(f'Say something for {LISTEN_S:.0f} seconds, now: "one, two, three, …"')
                heard = microphones.listen(LISTEN_S)
                chosen = best(heard)
                if chosen is not None or not asker.yes("I did not hear you. Once more?", False):
                    break
    except AudioError as error:
        _cannot(error)
        return None
    described = [_described(one) for one in heard]
    number = asker.choose("Which microphone", described, 0 if chosen is None else chosen + 1)
    return names[number - 1] if number else None


def loudspeaker(asker: Asker, settings: Config) -> str | None:
    """The loudspeaker that the user hears; None where that is not found out."""
    asker.head("Loudspeaker")
    if not asker.yes("Shall I speak, so that you hear which loudspeaker it is?", asker.asks):
        return None
    try:
        voice = select_voice(settings.voice, Library(settings.models_dir))
        names = candidates("output")
    except (AudioError, SpeakingError) as error:
        _cannot(error)
        return None
    for number, name in enumerate(names, 1):
        tell(f"{number} of {len(names)}: {name}")
        try:
            play(name, voice.synthesise(_SENTENCE.format(number=number)))
        except AssistantError as error:
            tell(f"  {error.message}")
            continue
        if asker.yes("Did you hear it?"):
            return name
    tell("None was heard; the setting stays as it is.")
    return None


def wake_word(asker: Asker, settings: Config, given: str | None) -> dict[str, float] | None:
    """The wake word with its sensitivity; None where the settings stay.

    Raises `ConfigError` for one that is given and that no engine knows.
    """
    asker.head("Wake word")
    in_force = next(iter(settings.wake.keywords))
    if given is None and asker.asks:
        known = {*porcupine.known_keywords(), *microwakeword.known_keywords()}
        enrolled = EnrolledPhrases(settings.state_dir).phrases
        tell(f"It is said before a command. Known are: {', '.join(sorted({*known, *enrolled}))}.")
        tell('A phrase of your own is enrolled later: assistant wake add "hey …"')
    while True:
        word = given or asker.text("Wake word", in_force)
        if not given and word == in_force:
            return None
        chosen = {word: settings.wake.keywords.get(word, SENSITIVITY)}
        try:
            _wake_engine(settings, chosen).close()
        except ConfigError as error:
            if given or not asker.asks:
                raise
            tell(error.message)
        else:
            return chosen


def _wake_engine(settings: Config, keywords: dict[str, float]) -> WakeWordEngine:
    wake = WakeSettings(engine=settings.wake.engine, keywords=keywords)
    enrolled = EnrolledPhrases(settings.state_dir)
    return select_wake_word(wake, enrolled, Library(settings.models_dir))


def try_wake_word(asker: Asker, settings: Config) -> None:
    """Let the user say the wake word of `settings` and tell whether it was heard; skippable."""
    (word, *_) = settings.wake.keywords
    inputs = settings.audio.inputs[:1]
    try:
        while asker.yes(f'Try it? Then say "{word}"', False):
            with (
                closing(_wake_engine(settings, dict(settings.wake.keywords))) as engine,
                open_microphones(inputs) as microphones,
            ):
                tell(f'Say "{word}" now.')
                if microphones.wakes(engine, WAKE_S):
                    tell("I heard it.")
                    return
                tell("I did not hear it; go nearer, or raise its sensitivity in wake.keywords.")
    except AssistantError as error:
        _cannot(error)


def _described(heard: Heard) -> str:
    if not heard.sounds:
        return f"{heard.name}: no sound came"
    verdict = "hears you" if heard.hears else "does not hear you"
    return (
        f"{heard.name}: {verdict} ({heard.speech_dbfs:.0f} dB over {heard.background_dbfs:.0f} dB)"
    )


def _cannot(error: AssistantError) -> None:
    tell(error.message)
    tell("This step is left out. Where the service runs it has the sound card: stop it meanwhile.")
