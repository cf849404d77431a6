"""The messages of the bus: every value that one stage sends to another.

There are two kinds. `Work` has exactly one consumer and is never dropped. `Control` is broadcast
and may be lost, so a stage that waits for one has a deadline. `Frame` and `Tick` stay inside one
process. `at_s` is in seconds of CLOCK_BOOTTIME; the worker sets it when a message leaves a stage.
"""

from __future__ import annotations

from assistant.core.calendar.messages import CalendarChanged as CalendarChanged
from assistant.core.calendar.messages import CalendarCommand as CalendarCommand
from assistant.core.calendar.messages import CalendarReport as CalendarReport
from assistant.core.documents.messages import DocumentsDone as DocumentsDone
from assistant.core.documents.messages import DocumentsListed as DocumentsListed
from assistant.core.documents.messages import DocumentsProgress as DocumentsProgress
from assistant.core.documents.messages import DocumentsRequest as DocumentsRequest
from assistant.core.documents.messages import DocumentSummary as DocumentSummary
from assistant.core.home.messages import HomeCommand as HomeCommand
from assistant.core.home.messages import HomeDescribed as HomeDescribed
from assistant.core.home.messages import HomeForecasts as HomeForecasts
from assistant.core.home.messages import HomeLists as HomeLists
from assistant.core.home.messages import HomeReceipt as HomeReceipt
from assistant.core.home.messages import HomeStates as HomeStates
from assistant.core.home.messages import MusicLibrary as MusicLibrary
from assistant.core.home.messages import ReportedAttributes as ReportedAttributes
from assistant.core.models.messages import ModelsUsed as ModelsUsed
from assistant.core.models.messages import ModelUse as ModelUse
from assistant.core.models.messages import Replace as Replace
from assistant.core.models.messages import Replaced as Replaced
from assistant.core.models.messages import Tried as Tried
from assistant.core.parts import SAMPLE_RATE_HZ as SAMPLE_RATE_HZ
from assistant.core.parts import AnswerTask as AnswerTask
from assistant.core.parts import CalendarTask as CalendarTask
from assistant.core.parts import Choice as Choice
from assistant.core.parts import Command as Command
from assistant.core.parts import Control as Control
from assistant.core.parts import DoubtfulWakeWord as DoubtfulWakeWord
from assistant.core.parts import Fact as Fact
from assistant.core.parts import FindFreeTime as FindFreeTime
from assistant.core.parts import FindNextEvent as FindNextEvent
from assistant.core.parts import Found as Found
from assistant.core.parts import Frame as Frame
from assistant.core.parts import Id, ReplyText, Trouble, UserText, Wording
from assistant.core.parts import ListedDocument as ListedDocument
from assistant.core.parts import ListEvents as ListEvents
from assistant.core.parts import ListNotes as ListNotes
from assistant.core.parts import Message as Message
from assistant.core.parts import NameCalendar as NameCalendar
from assistant.core.parts import NameSource as NameSource
from assistant.core.parts import OpenQuestion as OpenQuestion
from assistant.core.parts import Period as Period
from assistant.core.parts import RepeatAnswer as RepeatAnswer
from assistant.core.parts import Slot as Slot
from assistant.core.parts import SlotValue as SlotValue
from assistant.core.parts import Spoken as Spoken
from assistant.core.parts import Summarise as Summarise
from assistant.core.parts import SunEvent as SunEvent
from assistant.core.parts import Tick as Tick
from assistant.core.parts import WakeWordConfirmed as WakeWordConfirmed
from assistant.core.parts import When as When
from assistant.core.parts import Woke as Woke
from assistant.core.parts import Word as Word
from assistant.core.parts import WordFacts as WordFacts
from assistant.core.parts import Work as Work
from assistant.core.rooms.messages import Compare as Compare
from assistant.core.rooms.messages import Compared as Compared
from assistant.core.rooms.messages import ListenHere as ListenHere
from assistant.core.rooms.messages import Outheard as Outheard
from assistant.core.rooms.messages import RoomTimer as RoomTimer
from assistant.core.rooms.messages import RoomTimers as RoomTimers
from assistant.core.rooms.messages import SatelliteChanged as SatelliteChanged
from assistant.core.sensors.messages import Anomaly as Anomaly
from assistant.core.sensors.messages import SensorAlarm as SensorAlarm
from assistant.core.sensors.messages import SensorEvent as SensorEvent
from assistant.core.sensors.messages import SensorReading as SensorReading
from assistant.core.sensors.messages import SensorsReport as SensorsReport
from assistant.core.sensors.messages import SensorsRequest as SensorsRequest
from assistant.core.sensors.messages import SensorValue as SensorValue
from assistant.core.sensors.messages import SensorValues as SensorValues
from assistant.core.settings.wyoming import PEER
from assistant.core.traces.messages import Generated as Generated
from assistant.core.traces.messages import TraceMade as TraceMade


class AudioChunk(Spoken, frozen=True, kw_only=True):
    """100–200 ms of one utterance, 16 kHz mono int16; chunks come in order, pre-roll first."""

    sequence: int
    samples: bytes
    wake_word: str = ""
    follows: Id = ""
    """The utterance whose reply opened the microphone without the wake word; "" for none."""
    unasked: bool = False
    """Whether that reply asked nothing."""


class Utterance(Spoken, frozen=True, kw_only=True):
    """The end of an utterance or, for an early `revision`, its possible end."""

    revision: int
    wake_word: str
    """The phrase that the audio may begin with; "" in a follow-up."""
    duration_s: float
    speech_s: float
    """Seconds of the audio that the VAD took for speech."""
    speech_ended_at_s: float
    """Time at which the last speech was heard."""
    unasked: bool = False
    """Whether neither a wake word nor a question came before: only a reply that asks nothing."""
    dictated: bool = False
    """Whether only its words are wanted, and nobody is to act on them."""


class Transcript(Spoken, frozen=True, kw_only=True):
    """The text of an utterance, as recognised."""

    revision: int
    text: UserText
    """What was said, in lower case; "" when nothing was."""
    words: tuple[Word, ...] = ()
    alternatives: tuple[UserText, ...] = ()
    """The next best texts."""
    expected: bool = False
    """Whether it is one of the answers to the open question (`Asked`)."""
    confidence: float = 1.0
    """How likely the text is right, from 0 to 1."""
    unasked: bool = False
    """As in the Utterance."""
    dictated: bool = False
    """As in the Utterance."""
    ends: float = 0.0
    """How likely a sentence ends with these words, from 0 to 1; 0 for no sentence's words."""
    engine: str = ""


class Interpretation(Spoken, frozen=True, kw_only=True):
    """What the user meant."""

    revision: int
    text: UserText
    commands: tuple[Command, ...] = ()
    """The commands in order; none when nothing was understood."""
    missed: UserText = ""
    """Words beside the commands that were not understood; "" for none."""
    choices: tuple[Choice, ...] = ()
    """Possible meanings when none is likely enough; the user is asked which one is right."""
    unclaimed: OpenQuestion = OpenQuestion()
    """The question to answer from the documents when no skill claims the text."""
    conditional: tuple[tuple[Command, ...], ...] = ()
    """Other meanings, the likeliest first; one whose commands all hold comes before all else."""


class Commit(Work, frozen=True, kw_only=True):
    """The listener's decision: act on this revision, once."""

    revision: int


class Question(Spoken, frozen=True, kw_only=True):
    """Work for the answering stage: a text that no skill claims, or a skill's `task`."""

    text: UserText
    task: AnswerTask = OpenQuestion()
    intent: str | None = None
    """The intent of the skill that gave the task; None for a text that no skill claims."""
    fallback: ReplyText = ""
    """What to say when the task cannot be done."""
    acted: bool = False
    """Whether the skill has changed any state."""
    wording: Wording = ""
    """When the generator words it: within two seconds; "late", as nobody waits; or "none"."""


class SpokenReply(Spoken, frozen=True, kw_only=True, tag="Reply"):
    """What to say aloud."""

    text: ReplyText
    intent: str | None = None
    """The intent that is being answered."""
    listen: bool = False
    """Whether the microphone opens afterwards without the wake word."""
    done: bool = True
    """False when the request could not be met: the failed earcon precedes the words."""
    acted: bool = False
    """Whether carrying out the intent changed any state."""
    more: bool = False
    """Whether another SpokenReply to the same utterance follows; it is spoken without a pause."""
    once: bool = False
    """Whether it may be played once only. It is sent again, with the same id, until it is heard."""
    handed: tuple[Command, ...] = ()
    """What the peer who asked is to carry out; `text` is true once it has."""
    found: Found | None = None
    """What an answer rests on."""


class Speech(Spoken, frozen=True, kw_only=True):
    """One sentence of a reply: mono int16 at `rate_hz`; `listen` and `once` as in SpokenReply."""

    sequence: int
    samples: bytes
    rate_hz: int
    text: str
    last: bool
    """Whether it is the last sentence of the reply."""
    listen: bool = False
    once: bool = False


class StageRestarted(Work, frozen=True, kw_only=True):
    """The supervisor restarted `stage`; Work, as a restarted voice would miss a broadcast."""

    utterance_id: Id = ""
    stage: str
    reason: str
    """Such as "killed" or "hung"."""


class SafeModeEntered(Work, frozen=True, kw_only=True):
    """`stage` failed too often and stays down; wake word, "stop" and timers keep working."""

    utterance_id: Id = ""
    stage: str


class Complete(Control, frozen=True, kw_only=True):
    """Whether this revision's text is a whole sentence, so that the listener can end early."""

    utterance_id: Id
    revision: int
    complete: bool
    goes_on: bool = False
    """Whether more words are likely to follow a whole sentence."""


class BargeIn(Control, frozen=True, kw_only=True):
    """The user spoke over `utterance_id`'s reply: stop making more of it."""

    utterance_id: Id
    peer: Id = ""
    """The satellite that played it; "" for the device itself."""


class PlaybackStarted(Control, frozen=True, kw_only=True):
    """The first sample of a reply has gone to the loudspeaker."""

    utterance_id: Id
    made_at_s: float = 0.0
    """When the voice had made it; 0 for unknown."""
    peer: Id = ""
    """The satellite that plays it; "" for the device itself."""


class PlaybackEnded(Control, frozen=True, kw_only=True):
    """The playback of a reply has ended."""

    utterance_id: Id
    listen: bool = False
    """As in the SpokenReply."""
    interrupted: bool = False
    """Whether it was cut off before its end."""
    heard: bool = True
    """Whether any sound came out."""
    peer: Id = ""
    """As in PlaybackStarted."""


class Asked(Control, frozen=True, kw_only=True):
    """The reply to `utterance_id` is a question, and `answers` are what people may well say."""

    utterance_id: Id
    answers: tuple[UserText, ...]
    in_a_row: bool = False
    """Whether any number of them may follow one another, as the digits of a PIN do."""


class KeepSound(Control, frozen=True, kw_only=True):
    """The sound of an utterance is to be kept, as the user has agreed."""

    utterance_id: Id


class NothingHeard(Control, frozen=True, kw_only=True):
    """The microphone was open for `utterance_id`, and nobody spoke."""

    utterance_id: Id
    area: Id = ""
    """As in what is spoken."""


class DeviceChanged(Control, frozen=True, kw_only=True):
    """The microphone or another `device` went away, or came back."""

    device: str
    """ "microphone", "loudspeaker", "broker", "player", "session" or "calendar"."""
    present: bool
    detail: str = ""
    others: int = 0
    """How many other microphones are there."""


class MuteChanged(Control, frozen=True, kw_only=True):
    """Every microphone was closed because the user muted the assistant, or may open again."""

    muted: bool


class StageFailed(Control, frozen=True, kw_only=True):
    """A stage, or one `part` of it such as a skill, could not do its work."""

    stage: str
    code: str
    message: str
    """Text for the log, without any words of the user."""
    part: str = ""
    utterance_id: Id = ""
    peer: Id = ""
    """As in what is spoken."""


class Reload(Control, frozen=True, kw_only=True):
    """Configuration, skills or names changed on disk: rebuild between two utterances."""

    stage: str = ""
    """The process that is to; "" for all."""


class Reloaded(Control, frozen=True, kw_only=True):
    """`stage` runs on the new configuration, or `error` says why it kept the old one."""

    stage: str
    error: str = ""


class ReloadProgress(Control, frozen=True, kw_only=True):
    """`stage` will reload: it is being used, or what it needs for that is still being made."""

    stage: str


class Simplify(Control, frozen=True, kw_only=True):
    """`stage` is to take its simpler path for `for_s` seconds, or with 0 its usual one again."""

    stage: str
    why: Trouble
    for_s: float
    again: bool = False
    """Whether it has been said before, and is repeated as the stage was started anew."""


class QualityAlert(Control, frozen=True, kw_only=True):
    """Far more of a stage's last answers than expected have a fault; reported at start and end."""

    stage: str
    what: str
    """The fault: "unsure", "ungrounded", "empty", "rushed", "declined" or "slow"; of "sensors" the
    sensor or group whose model raises alarms in too many hours of a day."""
    value: float
    """Share of the last answers that have it, from 0 to 1."""
    expected: float
    """Share that is expected to have it, from 0 to 1."""
    over: bool = False
    """True in the report that the share is as expected again."""


class SelfTest(Control, frozen=True, kw_only=True):
    """A worker's message to itself: its return proves that sockets and loop work."""

    stage: str


class Level(Control, frozen=True, kw_only=True):
    """The microphone's level in dB relative to full scale, sent twice a second for watchers."""

    rms_dbfs: float
    noise_floor_dbfs: float
    speech: bool


def is_for_peer(message: Message) -> bool:
    """Whether work is for who speaks over the network, and not for its usual consumer."""
    if not isinstance(message, Spoken) or not message.peer:
        return False
    if isinstance(message, Transcript):
        return message.dictated
    if isinstance(message, SpokenReply):  # those of a satellite are voiced first
        return message.peer == PEER
    return isinstance(message, Speech)


def concrete(kind: type[Message]) -> tuple[type[Message], ...]:
    """Every message type below `kind` that has no subtypes itself, in the order of this file."""
    subtypes = kind.__subclasses__()
    return tuple(t for s in subtypes for t in concrete(s)) if subtypes else (kind,)
