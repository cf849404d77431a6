"""What the services tell of themselves, on which Home Assistant chooses by name."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from wyoming.info import (
    AsrModel,
    AsrProgram,
    Attribution,
    HandleModel,
    HandleProgram,
    Info,
    IntentModel,
    IntentProgram,
    TtsProgram,
    TtsVoice,
    WakeModel,
    WakeProgram,
)

from audio.wake.engine import spoken

NAME = "Hark"
LANGUAGES = ["en"]


def description(
    recogniser: str, voice: str, keywords: Iterable[str], hands_over: bool = False
) -> Info:
    """The services, with the engines that the settings name, and the wake words.

    What is said is told as intents where it `hands_over` commands.
    """
    common: dict[str, Any] = {
        "attribution": Attribution(name=NAME, url=""),
        "installed": True,
        "version": version("hark-assistant"),
    }
    heard = AsrModel(name=recogniser, description=recogniser, languages=LANGUAGES, **common)
    said = TtsVoice(name=voice, description=voice, languages=LANGUAGES, **common)
    done = HandleModel(name=NAME, description="skills", languages=LANGUAGES, **common)
    words = [
        WakeModel(name=word, description=word, phrase=spoken(word), languages=LANGUAGES, **common)
        for word in keywords
    ]
    about: dict[str, Any] = {"name": NAME, **common}
    listening = WakeProgram(description="wake words", models=words, **about)
    handling = HandleProgram(
        description="understanding and skills",
        models=[done],
        supports_handled_streaming=True,
        supports_home_control=True,
        **about,
    )
    read = IntentModel(name=NAME, description="understanding", languages=LANGUAGES, **common)
    reading = IntentProgram(description="understanding", models=[read], **about)
    return Info(
        asr=[AsrProgram(description="speech recognition", models=[heard], **about)],
        tts=[
            TtsProgram(
                description="speech",
                voices=[said],
                supports_synthesize_streaming=True,
                **about,
            )
        ],
        handle=[handling],
        intent=[reading] if hands_over else [],
        wake=[listening] if words else [],
    )
