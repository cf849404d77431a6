"""Findings about this device and installation, each with a remedy when something is wrong.

The checks judge the results or errors of `assistant.doctor.probes`, and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from assistant.answer.generation.generator import require_generator
from assistant.control.client import ControlClient
from assistant.control.mute import is_muted
from assistant.core.config import Config
from assistant.core.confinement.rights import CALLS_FILTER
from assistant.core.confinement.trial import refusals
from assistant.core.errors import AssistantError, ControlError, ModelError
from assistant.core.layout import PIN_FILE
from assistant.core.models.manifest import INSTALL_AGAIN, Library, ModelState, remedy_of_shipped
from assistant.doctor import probes
from assistant.doctor.probes import FolderProbe, Microphone, Session, SpeechProbe
from assistant.recordings.folder import Recordings
from assistant.recordings.keeper import RecordingState, state_of
from assistant.start_names import held_back
from assistant.supervision.settings import unsayable_names
from audio.asr.tandem import Pace, read_pace
from audio.build import make_wake_word
from audio.tts.select import select as select_voice
from skills.later.evidence import Evidence
from skills.rights.pin_file import PinFile

QUIET_DBFS, LOUD_DBFS = -80.0, -12.0
"""Levels between which a working microphone in a quiet room is; a muted one is below."""
FREE_BYTES = 200_000_000
MEMORY_BYTES = 450_000_000
"""Memory that all processes of the daemon together should need with the default models."""
SLOW_SPEECH = 0.5
"""Share of a sentence's duration that a voice may take to make it before pauses become audible."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one check."""

    name: str
    ok: bool
    detail: str
    remedy: str = msgspec.field(default="", name="mend")
    """What to do when it is not `ok`; `doctor --json` calls it "mend"."""
    necessary: bool = True
    """Whether the assistant does not work without it, or only works less well."""


T = TypeVar("T")


def examine(config: Config) -> Iterator[Finding]:
    """Run every check, one after the other; this takes some seconds."""
    library = Library(config.models_dir)
    yield muted() if is_muted(config) else microphone(_tried(lambda: _heard(config)))
    yield loudspeaker(config.audio.output, _tried(lambda: probes.loudspeaker(config.audio.output)))
    yield sound(probes.session())
    yield wake_word(_tried(lambda: _wake_engine(config)))
    yield recognition(config, library, probes.installed("pocketsphinx"))
    yield voice(config.voice.engine, _tried(lambda: _spoken(config, library)))
    yield wording(config.answer.generator, library)
    yield from models(library)
    yield state(probes.folder(config.state_dir))
    yield recordings(state_of(Recordings.of(config)))
    yield rights(config, PinFile(config.state_dir / PIN_FILE).is_set)
    yield skills(refusals(), config.skills.folders)
    yield names(_tried(lambda: unsayable_names(config)), held_back(config.state_dir))
    yield clock(probes.clock())
    yield service(probes.unit(), _tried(lambda: _status(config)))
    yield memory(probes.spare_memory_bytes())


def recordings(told: RecordingState) -> Finding:
    """Whether what is said is kept: no fault, but nobody should have to guess."""
    detail = f"what is said is kept: {told.kept}" if told.on else "nothing that is said is kept"
    if told.utterances and not told.on:
        detail += f"; there are still {told.kept}"
    return Finding(name="recordings", ok=True, detail=detail, necessary=False)


def rights(config: Config, pin: bool) -> Finding:
    """What needs the PIN, whether there is one, and what is not allowed from here."""
    security, remedy = config.security, ""
    needs = (
        f"needed for {', '.join(security.pin_for)}" if security.pin_for else "needed for nothing"
    )
    detail = f"a PIN is set, {needs}" if pin else f"no PIN is set, {needs}"
    if security.pin_for and not pin:
        remedy = "run: assistant pin set; until then nothing that needs it is done"
    if profile := security.rooms.get(config.home.area):
        denied = ", ".join(security.profiles[profile].denied) or "nothing"
        detail += f'; the profile here is "{profile}", which denies {denied}'
    return Finding(name="rights", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def skills(refused: Sequence[str], others: Sequence[str]) -> Finding:
    """How far this kernel confines the skills of others, `others` of which are there to run.

    Without the filter of system calls none is run; each of the other steps holds what it holds too.
    """
    lacking = [what for what in refused if what != CALLS_FILTER]
    detail = "a skill of somebody else is confined"
    if lacking:
        detail += f" by its filter of system calls; this kernel lacks {', '.join(lacking)}"
    if CALLS_FILTER not in refused:
        return Finding(name="skills", ok=True, detail=detail, necessary=False)
    count = f"none of {len(others)} runs" if others else "none would run"
    detail = f"this kernel lacks {', '.join(refused)}: of the skills of others {count}"
    remedy = "use a kernel with CONFIG_SECCOMP_FILTER, or a container that allows seccomp"
    return Finding(name="skills", ok=False, detail=detail, remedy=remedy, necessary=False)


def names(unsayable: Sequence[str] | AssistantError, held: Sequence[str]) -> Finding:
    """Whether each name of the home can be said, and every stage knows the newest ones."""
    if isinstance(unsayable, AssistantError):
        detail, remedy = unsayable.message, "mend the home's file"
        return Finding(name="names", ok=False, detail=detail, remedy=remedy)
    detail, remedy = "every name of the home can be said", ""
    if unsayable:
        detail, remedy = "; ".join(unsayable), "give it another name where it comes from"
    if held:
        detail += f"; without the newest names, with which it ended twice: {', '.join(held)}"
        remedy = "take back what was named last, then: assistant reload"
    return Finding(name="names", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def muted() -> Finding:
    """That no microphone is open, and is not tried here either; no fault, as the user wants it."""
    detail = "muted: no microphone opens before `assistant unmute` or the mute button"
    return Finding(name="microphone", ok=True, detail=detail)


def microphone(heard: Microphone | AssistantError) -> Finding:
    """Whether sound comes in at a level at which speech can be recognised."""
    if isinstance(heard, AssistantError):
        remedy = "plug one in, or name it as audio.input in the settings (arecord -l lists them)"
        return Finding(name="microphone", ok=False, detail=heard.message, remedy=remedy)
    by = ", as the running daemon hears it" if heard.by_daemon else ""
    detail = f"{abs(heard.rms_dbfs):.0f} dB below full scale{by}"
    remedy = ""
    if heard.rms_dbfs < QUIET_DBFS:
        detail, remedy = f"silence{by}", "unmute and raise it with: alsamixer -V capture"
    elif heard.rms_dbfs > LOUD_DBFS:
        detail, remedy = f"overdriven: {detail}", "lower it with: alsamixer -V capture"
    if heard.devices:
        detail += f"; {heard.devices}"
    return Finding(name="microphone", ok=not remedy, detail=detail, remedy=remedy)


def loudspeaker(device: str, rate_hz: int | AssistantError) -> Finding:
    """Whether the loudspeaker opens."""
    if isinstance(rate_hz, AssistantError):
        remedy = "plug one in, or name it as audio.output in the settings (aplay -l lists them)"
        return Finding(name="loudspeaker", ok=False, detail=rate_hz.message, remedy=remedy)
    return Finding(name="loudspeaker", ok=True, detail=f'"{device}" opens at {rate_hz} Hz')


def sound(found: Session) -> Finding:
    """Whether this user can reach a sound card, directly or through a session's server."""
    detail = f"{found.cards} sound card{'s' * (found.cards != 1)}"
    if found.servers:
        detail += f", through {' and '.join(found.servers)}"
    remedy = ""
    if found.cards and not found.permitted and not found.servers:
        detail += ", which this user may not use"
        remedy = "run: sudo usermod -aG audio $USER, and log in again"
    elif not found.cards and not found.servers:
        remedy = (
            "connect a sound card; as a service the assistant has no PipeWire or PulseAudio "
            "session and needs an ALSA card"
        )
    return Finding(
        name="sound session", ok=not remedy, detail=detail, remedy=remedy, necessary=False
    )


def wake_word(engine: str | AssistantError) -> Finding:
    """Whether an engine for the wake words runs on this CPU."""
    if isinstance(engine, AssistantError):
        remedy = 'choose other wake.keywords, or wake.engine = "auto"'
        return Finding(name="wake word", ok=False, detail=engine.message, remedy=remedy)
    return Finding(name="wake word", ok=True, detail=f"{engine} runs on this CPU")


def recognition(config: Config, library: Library, pocketsphinx: bool) -> Finding:
    """Whether the speech recognition engine of the settings is available."""
    model = config.asr.model
    name, pull = "speech recognition", f"run: assistant models pull {model}"
    try:
        whisper = library.present(model)
    except ModelError as error:
        return Finding(name=name, ok=False, detail=error.message, remedy="change asr.model")
    if config.asr.engine == "whisper" and not whisper:
        return Finding(name=name, ok=False, detail=f"{model} is not here", remedy=pull)
    if not whisper and not pocketsphinx:
        detail = "pocketsphinx is not installed"
        return Finding(name=name, ok=False, detail=detail, remedy=INSTALL_AGAIN)
    if config.asr.engine == "pocketsphinx" or whisper:
        detail = "pocketsphinx" if config.asr.engine == "pocketsphinx" else model
        if config.asr.engine == "auto":
            detail = _both(model, read_pace(config.cache_dir))
        return Finding(name=name, ok=True, detail=detail)
    return Finding(
        name=name, ok=True, detail=f"pocketsphinx; better: assistant models pull {model}"
    )


def _both(model: str, pace: Pace | None) -> str:
    """Which engine leads on this machine."""
    if pace is None:
        return f"{model} and pocketsphinx; the assistant has not yet measured which is to lead"
    took = f"{pace.command_s * 1000:.0f} ms for a command"
    if pace.leads:
        return f"{model}, {took}; pocketsphinx if it fails"
    return f"pocketsphinx; {model}, {took}, for free speech"


def voice(wanted: str, spoken: SpeechProbe | AssistantError) -> Finding:
    """Whether the `wanted` voice ("auto" for any) speaks, and quickly enough."""
    if isinstance(spoken, AssistantError):
        remedy = "run: sudo apt install flite"
        return Finding(name="voice", ok=False, detail=spoken.message, remedy=remedy)
    worked_ms = spoken.worked_s * 1000
    detail = f"{spoken.engine} makes {spoken.sound_s:.1f} s of speech in {worked_ms:.0f} ms"
    remedy = ""
    if wanted not in ("auto", spoken.engine):
        detail = f"in place of {wanted}, {detail}"
        remedy = spoken.refusals.get(wanted, f"see why {wanted} fails: journalctl -u assistant")
    elif spoken.worked_s > SLOW_SPEECH * spoken.sound_s:
        remedy = 'set voice.engine = "flite", which is quicker'
    return Finding(name="voice", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def wording(generator: str, library: Library) -> Finding:
    """Whether the generator of the settings is available."""
    detail, remedy = generator, ""
    try:
        require_generator(library, generator)
        if not library.present(generator):
            detail = f"{generator} is not here; what is found is said as it stands there"
            remedy = f"run: assistant models pull {generator}"
    except ModelError as error:
        detail, remedy = error.message, "change answer.generator"
    return Finding(name="generator", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def models(library: Library) -> Iterator[Finding]:
    """Whether the models that are here are as the manifest says; one finding for each."""
    try:
        names = list(library.artefacts)
    except ModelError as error:
        remedy = remedy_of_shipped(library.shipped / "manifest.toml")
        yield Finding(name="models", ok=False, detail=error.message, remedy=remedy)
        return
    here = [name for name in names if library.state(name) is not ModelState.ABSENT]
    if not here:
        yield Finding(
            name="models", ok=True, detail=f"none of {len(names)} is here; none is needed"
        )
    for name in here:
        version, own = library.in_use(name).version, library.artefact(name).version
        # Check the version in use; the daemon reads another one if it is damaged.
        used = library.choosing(name, version)
        fault = _tried(lambda name=name, used=used: used.read(name))  # type: ignore[misc]
        if isinstance(fault, AssistantError):
            remedy = f"run: assistant models rollback {name}"
            remedy = used.remedy(name) if version == own else remedy
            yield Finding(name=f"model {name}", ok=False, detail=fault.message, remedy=remedy)
        else:
            detail = "as recorded" if version == own else f"version {version}, as recorded"
            yield Finding(name=f"model {name}", ok=True, detail=detail)


def state(found: FolderProbe) -> Finding:
    """Whether timers and settings can be stored."""
    detail = f"{found.path}, {found.free_bytes / 1e6:.0f} MB free"
    remedy = ""
    if found.fault:
        detail, remedy = (
            f"{found.path}: {found.fault}",
            "run this with sudo, or let this user write there",
        )
    elif found.free_bytes < FREE_BYTES:
        remedy = "free some space: the assistant promises nothing that it cannot store"
    return Finding(name="state directory", ok=not remedy, detail=detail, remedy=remedy)


def clock(found: Evidence) -> Finding:
    """Whether the time of day is reliable after a start."""
    remedy = ""
    match found:
        case Evidence.NONE:
            remedy = (
                "run: sudo timedatectl set-ntp true; until then it is trusted,"
                " and what is planned by the clock may come at a wrong time"
            )
        case Evidence.AWAITED | Evidence.WRONG:
            remedy = (
                "connect it to a network, or set it (sudo date --set=…) and say"
                ' "the clock is right"; until then what is planned by the clock waits'
            )
    return Finding(name="clock", ok=not remedy, detail=found.value, remedy=remedy, necessary=False)


def service(unit: str, status: object) -> Finding:
    """Whether the daemon runs; where it is installed as a service, whether that is active."""
    running = not isinstance(status, AssistantError)
    remedy = ""
    if isinstance(status, AssistantError) and status.code != "control.down":
        detail, remedy = status.message, "run: sudo systemctl restart assistant"
    elif unit:
        detail = f"assistant.service is {unit}"
        if unit != "active":
            remedy = (
                "run: sudo systemctl start assistant; journalctl -u assistant says why it ended"
            )
    elif running:
        detail = "a daemon runs, not as a service"
    else:
        detail, remedy = "not installed as a service", "run: sudo make install (or: make run)"
    return Finding(name="daemon", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def memory(spare_bytes: int) -> Finding:
    """Whether there is enough memory for the processes."""
    enough = spare_bytes >= MEMORY_BYTES
    remedy = "" if enough else 'close programs, or set asr.engine = "pocketsphinx"'
    detail = f"{spare_bytes / 1e6:.0f} MB available"
    return Finding(name="memory", ok=enough, detail=detail, remedy=remedy, necessary=False)


def _tried(probe: Callable[[], T]) -> T | AssistantError:
    try:
        return probe()
    except AssistantError as error:
        return error


def _socket(config: Config) -> Path:
    return config.control_socket


def _heard(config: Config) -> Microphone:
    try:
        return probes.microphone_of_daemon(_socket(config))
    except ControlError:
        return probes.microphone(config.audio.inputs)


def _spoken(config: Config, library: Library) -> SpeechProbe:
    return probes.speech(select_voice(config.voice, library))


def _wake_engine(config: Config) -> str:
    engine = make_wake_word(config)
    engine.close()
    return engine.name


def _status(config: Config) -> object:
    return ControlClient(_socket(config)).ask("models")
