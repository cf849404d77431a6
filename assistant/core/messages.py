"""The vocabulary of the bus: every value that one stage says to another.

Two kinds: `Work` has exactly one consumer and is never dropped; `Control` is broadcast and may be
lost, so whoever waits for one has a deadline. `Frame` and `Tick` stay inside one process. Times
named `at_s` are seconds of CLOCK_BOOTTIME, stamped by the worker when the message leaves a stage.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from assistant.core.parts import AnswerTask as AnswerTask
from assistant.core.parts import CalendarTask as CalendarTask
from assistant.core.parts import Choice as Choice
from assistant.core.parts import Command as Command
from assistant.core.parts import Fact as Fact
from assistant.core.parts import FindNextEvent as FindNextEvent
from assistant.core.parts import ListedDocument as ListedDocument
from assistant.core.parts import ListEvents as ListEvents
from assistant.core.parts import ListNotes as ListNotes
from assistant.core.parts import NameSource as NameSource
from assistant.core.parts import OpenQuestion as OpenQuestion
from assistant.core.parts import Period as Period
from assistant.core.parts import Slot as Slot
from assistant.core.parts import SlotValue as SlotValue
from assistant.core.parts import Summarise as Summarise
from assistant.core.parts import Word as Word
from assistant.core.parts import WordFacts as WordFacts

Id = Annotated[str, msgspec.Meta(max_length=200)]
"""An id; they are kept, so none may be as large as a message."""
Said = Annotated[str, msgspec.Meta(max_length=5_000)]
"""What somebody can say before the microphone closes; a text of a book takes a stage for hours."""
Told = Annotated[str, msgspec.Meta(max_length=10_000)]
"""What anybody may be told at once: ten minutes of speech."""
SAMPLE_RATE_HZ = 16_000
"""Rate of all audio inside the assistant but `Speech`, which keeps its voice's own."""


class Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag=True):
    """A value that crosses from one stage to another."""

    at_s: float = 0.0


class Work(Message, frozen=True, kw_only=True):
    """A message for exactly one consumer, about one utterance."""

    utterance_id: Id


class Control(Message, frozen=True, kw_only=True):
    """A broadcast that anyone may miss."""


# ── inside one process ──────────────────────────────────────────────────────────────────────


class Frame(Message, frozen=True, kw_only=True):
    """512 microphone samples, 16 kHz mono int16; `at_s` is the time of the last of them."""

    samples: bytes


class Tick(Message, frozen=True, kw_only=True):
    """Time has reached `at_s`, and a stage had asked to be told."""


# ── work ────────────────────────────────────────────────────────────────────────────────────


class AudioChunk(Work, frozen=True, kw_only=True):
    """100–200 ms of one utterance, 16 kHz mono int16, from the pre-roll on, in order."""

    sequence: int
    samples: bytes
    wake_word: str = ""


class Utterance(Work, frozen=True, kw_only=True):
    """The utterance is over, or (an early `revision`) may be.

    `wake_word` is the phrase that the audio may begin with ("" in a follow-up), `speech_s` how
    much of it the VAD took for speech, `speech_ended_at_s` when the last of it was heard.
    """

    revision: int
    wake_word: str
    duration_s: float
    speech_s: float
    speech_ended_at_s: float


class Transcript(Work, frozen=True, kw_only=True):
    """What was said, lower case; "" when nothing was. `alternatives` are next best texts."""

    revision: int
    text: Said
    words: tuple[Word, ...] = ()
    alternatives: tuple[Said, ...] = ()
    engine: str = ""


class Interpretation(Work, frozen=True, kw_only=True):
    """What was meant: the commands in order, none when nothing was understood.

    `choices` are what it may mean where none of them is likely enough; they are asked about.
    `unclaimed` is what is to be asked of the documents where no skill claims the text.
    """

    revision: int
    text: Said
    commands: tuple[Command, ...] = ()
    choices: tuple[Choice, ...] = ()
    unclaimed: OpenQuestion = OpenQuestion()


class Commit(Work, frozen=True, kw_only=True):
    """The listener's decision: act on this revision, once."""

    revision: int


class Question(Work, frozen=True, kw_only=True):
    """What is left to the answering: a text that no skill claims, or a skill's `task`.

    A skill's has its `intent`; `fallback` is said where the task cannot be done, and `acted` tells
    whether the skill has changed any state.
    """

    text: Said
    task: AnswerTask = OpenQuestion()
    intent: str | None = None
    fallback: Told = ""
    acted: bool = False


class Reply(Work, frozen=True, kw_only=True):
    """What to say aloud; `listen` opens the microphone afterwards without the wake word.

    `done` is false when the wish could not be met: the failed earcon precedes the words.
    `intent` is what is being answered, `acted` whether that changed any state. After `more` comes
    a further Reply to the same utterance, which is spoken without a pause. One to be heard `once`
    is given again, under its name, until it was; it never sounds again after that.
    """

    text: Told
    intent: str | None = None
    listen: bool = False
    done: bool = True
    acted: bool = False
    more: bool = False
    once: bool = False


class DocumentsRequest(Work, frozen=True, kw_only=True):
    """The command line's wish: "add" paths, "remove" paths or titles, "list" what there is.

    Or "summarise" one document, or a part of it, by its name.
    """

    utterance_id: Id = ""
    request_id: Id
    action: Literal["add", "remove", "list", "summarise"]
    arguments: tuple[str, ...] = ()


class Speech(Work, frozen=True, kw_only=True):
    """One synthesised sentence of a reply: mono int16 at `rate_hz`; `last` closes the reply.

    `listen` and `once` are the Reply's.
    """

    sequence: int
    samples: bytes
    rate_hz: int
    text: str
    last: bool
    listen: bool = False
    once: bool = False


class HomeCommand(Work, frozen=True, kw_only=True):
    """What the bridge is to publish to the broker for a device.

    That is its new `state` and `attributes` beside it ("position": 40), as far as they have
    changed, or a `command` that is no state, such as "next".
    """

    entity_id: str
    state: str = ""
    attributes: dict[str, SlotValue] = {}
    command: str = ""


class HomeStates(Work, frozen=True, kw_only=True):
    """Device → its latest state, as the broker reported them since the last of these messages.

    Only states of devices: each replaces the one before it, which a value of a sensor does not.
    """

    utterance_id: Id = ""
    states: dict[str, str]


class StageRestarted(Work, frozen=True, kw_only=True):
    """The supervisor started `stage` again, for `reason` ("killed", "hung", …).

    Work, not a broadcast: the voice that must tell the user may be the one that was restarted.
    """

    utterance_id: Id = ""
    stage: str
    reason: str


class SafeModeEntered(Work, frozen=True, kw_only=True):
    """`stage` failed too often and stays down; wake word, stop and timers go on."""

    utterance_id: Id = ""
    stage: str


# ── control ─────────────────────────────────────────────────────────────────────────────────


class Woke(Control, frozen=True, kw_only=True):
    """The wake word was heard, or a follow-up opened (`wake_word` is "")."""

    utterance_id: Id
    wake_word: str


class Complete(Control, frozen=True, kw_only=True):
    """Whether this revision's text is a whole sentence, for the listener to end early."""

    utterance_id: Id
    revision: int
    complete: bool


class BargeIn(Control, frozen=True, kw_only=True):
    """The user spoke over `utterance_id`'s reply: stop making more of it."""

    utterance_id: Id


class PlaybackStarted(Control, frozen=True, kw_only=True):
    """The first sample of a reply has gone to the loudspeaker."""

    utterance_id: Id


class PlaybackEnded(Control, frozen=True, kw_only=True):
    """A reply was played to its end, or `interrupted`; not `heard` when it did not sound."""

    utterance_id: Id
    listen: bool = False
    interrupted: bool = False
    heard: bool = True


class NothingHeard(Control, frozen=True, kw_only=True):
    """The microphone was open for `utterance_id`, and nobody spoke."""

    utterance_id: Id


class DeviceChanged(Control, frozen=True, kw_only=True):
    """The "microphone", the "loudspeaker" or the "broker" went away or came back."""

    device: str
    present: bool
    detail: str = ""


class StageFailed(Control, frozen=True, kw_only=True):
    """A stage, or one `part` of it such as a skill, could not do its work.

    `message` is for the log, never words of the user.
    """

    stage: str
    code: str
    message: str
    part: str = ""
    utterance_id: Id = ""


class Reload(Control, frozen=True, kw_only=True):
    """Configuration or skills changed on disk: rebuild between two utterances."""


class Reloaded(Control, frozen=True, kw_only=True):
    """`stage` runs on the new configuration, or `error` says why it kept the old one."""

    stage: str
    error: str = ""


class Replace(Control, frozen=True, kw_only=True):
    """`stage` is to run `version` of `model` from between two utterances on, if it is sound."""

    stage: str
    model: str
    version: str


class Replaced(Control, frozen=True, kw_only=True):
    """`stage` runs that version of the model, or `error` says why it kept the one it had."""

    stage: str
    model: str
    version: str
    error: str = ""


class DocumentsProgress(Control, frozen=True, kw_only=True):
    """How far documents are read and their passages encoded; `fault` is of one file, in a line."""

    files_done: int
    files: int
    encoded: int
    passages: int
    fault: str = ""


class DocumentsListed(Control, frozen=True, kw_only=True):
    """Some of the documents that `request_id` wanted listed, in order."""

    request_id: Id
    documents: tuple[ListedDocument, ...]


class DocumentSummary(Control, frozen=True, kw_only=True):
    """The document, or its `place` ("" for all of it), that `request_id` wanted in short."""

    request_id: Id
    title: str
    place: str
    path: str
    sentences: tuple[str, ...]


class DocumentsDone(Control, frozen=True, kw_only=True):
    """What `request_id` wanted is done, for so many documents and passages.

    Or it is not: `error` says why, `code` is that of the fault.
    """

    request_id: Id
    documents: int = 0
    passages: int = 0
    code: str = ""
    error: str = ""


class QualityAlert(Control, frozen=True, kw_only=True):
    """The share `value` of a stage's last answers is `what`, far more than `expected`.

    `what` is "unsure", "ungrounded", "empty", "rushed", "declined" or "slow"; both shares are from
    0 to 1. It is told once, and once more when it is `over`.
    """

    stage: str
    what: str
    value: float
    expected: float
    over: bool = False


class SelfTest(Control, frozen=True, kw_only=True):
    """A worker's message to itself: its return proves that sockets and loop work."""

    stage: str


class Level(Control, frozen=True, kw_only=True):
    """The microphone's level twice a second, for watchers: dB below full scale."""

    rms_dbfs: float
    noise_floor_dbfs: float
    speech: bool


def concrete(kind: type[Message]) -> tuple[type[Message], ...]:
    """Every message type without subtypes that is a `kind`, in the order they are written."""
    subtypes = kind.__subclasses__()
    return tuple(t for s in subtypes for t in concrete(s)) if subtypes else (kind,)
