"""What the services tell of themselves, on which Home Assistant chooses by name."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from wyoming.info import (
    AsrModel,
    AsrProgram,
    Attribution,
    HandleModel,
    HandleProgram,
    Info,
    TtsProgram,
    TtsVoice,
)

NAME = "Hark"
LANGUAGES = ["en"]


def description(recogniser: str, voice: str) -> Info:
    """The services, with the engines that the settings name."""
    common: dict[str, Any] = {
        "attribution": Attribution(name=NAME, url=""),
        "installed": True,
        "version": version("hark-assistant"),
    }
    heard = AsrModel(name=recogniser, description=recogniser, languages=LANGUAGES, **common)
    said = TtsVoice(name=voice, description=voice, languages=LANGUAGES, **common)
    done = HandleModel(name=NAME, description="skills", languages=LANGUAGES, **common)
    about: dict[str, Any] = {"name": NAME, **common}
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
        handle=[
            HandleProgram(
                description="understanding and skills",
                models=[done],
                supports_handled_streaming=True,
                supports_home_control=True,
                **about,
            )
        ],
    )
