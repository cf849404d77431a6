"""The errors, one class for each stage; each has a code for logs and a message for people."""

from __future__ import annotations

import re

import msgspec

UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not what is asked for, however deep they nest."""
LONGEST_MESSAGE = 800
"""Most characters of a message, which may quote a file's text of any length."""

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What moves a terminal, begins a line of a log, or turns what stands around it; but for tab and
line feed."""


def printable(text: str, longest: int) -> str:
    """A text whose control characters are written as escapes, and whose end is cut off.

    Tabs and line feeds stay.
    """
    if len(text) > longest:
        text = f"{text[:longest]}… ({len(text) - longest} more characters)"
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str, longest: int) -> str:
    """The same, without line feeds and tabs."""
    return printable(text, longest).replace("\n", "\\n").replace("\t", "\\t")


class AssistantError(Exception):
    """A fault with a stable `code` and a `message` that says what, where, and what to do next.

    `part` names the part of a stage that caused it, such as a skill. A message that is too long
    loses its middle: what and where come first, and what to do comes last.
    """

    def __init__(self, code: str, message: str, part: str = "") -> None:
        if len(message) > LONGEST_MESSAGE:
            half = LONGEST_MESSAGE // 2 - 2
            message = f"{message[:half]} … {message[-half:]}"
        super().__init__(message)
        self.code = code
        self.message = message
        self.part = part

    def __reduce__(self) -> tuple[type[AssistantError], tuple[str, ...]]:
        """Its own arguments, so that it can be sent to another process."""
        return type(self), (self.code, self.message, self.part)


class InputError(AssistantError):
    """What the user gave (a file, an option, a name) cannot be used; exit status 2."""


class ConfigError(InputError):
    """A configuration file is wrong."""


class ModelError(InputError):
    """A model file is missing, corrupt or not what the manifest says."""


class SkillError(InputError):
    """A skill is wrong: its sentences, its signature, its facts."""


class UnreachableError(SkillError):
    """A server that a skill asks is not reached, or gives no answer that can be used, in time."""

    CODE = "skill.unreachable"

    def __init__(self, message: str, part: str = "") -> None:
        super().__init__(self.CODE, message, part)

    def __reduce__(self) -> tuple[type[AssistantError], tuple[str, ...]]:
        """Its own arguments, so that it can be sent to another process."""
        return type(self), (self.message, self.part)


class CodecError(AssistantError):
    """Bytes on the bus are no message."""


class BusError(AssistantError):
    """A socket could not be opened or took no message in time."""


class AudioError(AssistantError):
    """The microphone or the loudspeaker cannot be used."""


class WakeWordError(AssistantError):
    """A wake word engine cannot run here or does not know the keyword."""


class RecognitionError(AssistantError):
    """Speech recognition failed."""


class UnderstandingError(AssistantError):
    """A sentence could not be interpreted."""


class AnswerError(AssistantError):
    """No answer could be made."""


class SpeakingError(AssistantError):
    """No voice could speak."""


class StorageError(AssistantError):
    """Data could not be stored or read."""


class RoomsError(AssistantError):
    """Somebody on the network cannot be spoken with."""


class BridgeError(AssistantError):
    """A command cannot be sent to the broker."""


class ControlError(AssistantError):
    """The running daemon cannot be reached, or refused."""


class TurnedAwayError(ControlError, InputError):
    """The running daemon does not serve this caller, or no more callers; exit status 2."""
