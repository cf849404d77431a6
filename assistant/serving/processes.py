"""The daemon's processes: the stage of each, and its connection to the bus.

`STAGES` lists them. Where a message goes follows from what the stages consume.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from assistant.answer.stage import AnswerStage
from assistant.bridge.stage import BridgeStage
from assistant.composition import Composition
from assistant.control.alerts import Alerts
from assistant.control.described_home import DescribedHome
from assistant.control.metrics_store import MetricsStore
from assistant.control.mute import carry_out
from assistant.control.procfs import beside
from assistant.control.recollection import Recollection
from assistant.control.sensors import SensorsSeen
from assistant.control.server import ControlServer
from assistant.control.stage import ControlStage
from assistant.control.traces.ring import LineRing
from assistant.control.traces.tracer import Tracer
from assistant.core.bus import Address, Bus
from assistant.core.config import Config, load_config
from assistant.core.database import Database
from assistant.core.degraded import SimplerPath
from assistant.core.layout import (
    HEARD_FILE,
    KNOWLEDGE_FILE,
    METRICS_FILE,
    ROOMS,
    SENSORS,
    SENSORS_FILE,
    STATE_FILE,
    TRACES_FOLDER,
    VOLUME_FILE,
)
from assistant.core.messages import HomeDescribed, Message, Work
from assistant.core.models.swap import LoadSwap, Trials
from assistant.core.sensors.described import Sensors, load_sensors
from assistant.core.stage import Source, Stage
from assistant.core.worker import ORDERS, LoopObserver, Worker
from assistant.recordings.folder import Recordings
from assistant.recordings.keeper import RecordingKeeper
from assistant.sensors.stage import Learning, SensorsStage
from assistant.sensors.store import Store
from assistant.serving.answering import AnswerStageMaker, load_reader
from assistant.serving.device import device_parts
from assistant.serving.hearing_beat import HearingBeat
from assistant.serving.hot_swap import AsrHotSwap, HotSwap, NluHotSwap
from assistant.serving.trials import AnswerTrials, NluTrials
from assistant.start_names import NamesOnTrial
from assistant.supervision.channel import ProcessStatus, Status
from assistant.supervision.heartbeat import Heartbeat
from assistant.supervision.settings import reload_settings
from audio.asr.stage import AsrStage
from audio.build import make_listener, make_own_voice
from audio.heard_replies import HeardReplies
from audio.microphones.capture import Capture
from audio.mute.button import mute_button
from audio.mute.mute import Mute
from audio.mute.switch import MuteSwitch
from audio.playback import Playback
from audio.stage import AudioStage
from audio.tts.stage import VoiceStage
from audio.tts.volume import VolumeFile
from nlu.stage import NluStage
from skills.capabilities.device import NO_PARTS, DeviceParts
from skills.isolation.installed import with_installed
from skills.revisions import Revisions
from skills.scheduler import this_boot
from skills.stage import SkillsStage
from skills.state import open_state

STAGES: Mapping[str, type[Stage]] = {
    "audio": AudioStage,
    "asr": AsrStage,
    "nlu": NluStage,
    "skills": SkillsStage,
    "answer": AnswerStage,
    "voice": VoiceStage,
    "bridge": BridgeStage,
    SENSORS: SensorsStage,
}

RECORDING = "I keep recordings of what you say to me."
"""Reply at the start, while the user agrees that recordings are kept."""

UNMUTING = "`assistant unmute` or the mute button"
"""What ends a mute, for the log."""

log = logging.getLogger(__name__)


def consumers(stages: Mapping[str, type[Stage]] = STAGES) -> dict[type[Message], str]:
    """Work type → the one process that consumes it.

    The control process takes one itself, and is shown copies of the others.
    """
    consumed: dict[type[Message], str] = {HomeDescribed: "control"}
    return consumed | {
        kind: name
        for name, stage in stages.items()
        for kind in stage.consumes
        if issubclass(kind, Work)
    }


@dataclass
class ProcessParts:
    """A process's stage, with everything that its worker needs to run it."""

    stage: Stage
    beat: LoopObserver
    sources: tuple[Source, ...] = ()
    rebuild: Callable[[], Stage] | None = None
    load: LoadSwap | None = None
    prepare: Callable[[], object] | None = None
    unfinished: Callable[[], str] | None = None
    simpler: SimplerPath | None = None
    trials: Trials | None = None


def peers(config: Config) -> tuple[str, ...]:
    """The processes; the services of their own are among them only where they have work."""
    return config.members + ("bridge",) * config.uses_bridge + (ROOMS,) * config.uses_rooms


def serve(heartbeat: Heartbeat, name: str, *files: str) -> None:
    """Run the process `name`, with the settings in `files`, until SIGTERM."""
    settings = tuple(map(Path, files))
    config, _ = load_config(settings)
    with closing(Address(config.runtime_dir)) as address, ExitStack() as open_things:
        worker = make_worker(name, settings, heartbeat, address, open_things)
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        signal.signal(signal.SIGUSR1, lambda *_: worker.retire())
        worker.run()


def make_worker(
    name: str,
    files: tuple[Path, ...],
    heartbeat: Heartbeat,
    address: Address,
    open_things: ExitStack,
) -> Worker:
    """The worker of the process `name`; `open_things` closes its devices and sockets."""
    parts = MAKERS[name](with_installed(load_config(files)[0]), files, heartbeat)
    wanted: tuple[type[Message], ...] = (*parts.stage.consumes, *ORDERS)
    bus = Bus(name, address, peers(load_config(files)[0]), consumers(), wanted)
    open_things.callback(bus.close)
    for source in parts.sources:
        open_things.callback(source.close)
        bus.watch(source)

    # `rebuild` must not refer to `parts`, which would keep the first stage in memory.
    again = parts.rebuild or partial(_same, parts.stage)

    def rebuild() -> Stage:
        stage = again()
        bus.follow(peers(load_config(files)[0]))
        return stage

    return Worker(
        *(name, parts.stage, bus, parts.beat, rebuild),
        load=parts.load,
        prepare=parts.prepare,
        unfinished=parts.unfinished,
        simpler=parts.simpler,
        trials=parts.trials,
    )


def _same(stage: Stage) -> Stage:
    return stage


def _swapping(
    swap_of: Callable[[Config], HotSwap | NluHotSwap],
    config: Config,
    files: tuple[Path, ...],
    heartbeat: Heartbeat,
) -> ProcessParts:
    """A stage whose models can be replaced while it runs."""
    swap = swap_of(config)
    return ProcessParts(
        swap.stage(config),
        heartbeat,
        rebuild=lambda: swap.stage(with_installed(reload_settings(files))),
        load=swap.load,
        simpler=swap.simpler,
    )


def _asr(config: Config, files: tuple[Path, ...], heartbeat: Heartbeat) -> ProcessParts:
    """Recognition, which hears on while the network of new sentences is made."""

    def prepare() -> None:
        Composition(with_installed(reload_settings(files))).recognition.prepare()

    swap = AsrHotSwap(NamesOnTrial("asr", config.state_dir))
    parts = _swapping(lambda _: swap, config, files, heartbeat)
    return replace(parts, prepare=prepare, unfinished=swap.unfinished)


def _nlu(config: Config, files: tuple[Path, ...], heartbeat: Heartbeat) -> ProcessParts:
    """Understanding, which takes new sentences on before its model is fitted to them whole."""
    swap = NluHotSwap(NamesOnTrial("nlu", config.state_dir))
    parts, trials = _swapping(lambda _: swap, config, files, heartbeat), NluTrials(swap, config)
    return replace(parts, load=trials.load, unfinished=swap.unfinished, trials=trials)


def _skills(config: Config, files: tuple[Path, ...], heartbeat: Heartbeat) -> ProcessParts:
    """The skills, on a database that stays open over a reload."""
    database, device = open_state(config.state_dir / STATE_FILE), device_parts(config, files)
    swap = partial(_skills_on, database, device=device)
    return _swapping(swap, config, files, heartbeat)


def _skills_on(database: Database, config: Config, device: DeviceParts = NO_PARTS) -> HotSwap:
    revisions, notices = Revisions(), [RECORDING] if Recordings.of(config).on else []
    return HotSwap(lambda composition: composition.skills(database, revisions, notices, device))


def _answer(config: Config, files: tuple[Path, ...], heartbeat: Heartbeat) -> ProcessParts:
    """What no skill claims."""
    maker = AnswerStageMaker(config.state_dir / KNOWLEDGE_FILE)
    swap = HotSwap(maker, load_reader)
    parts = _swapping(lambda _: swap, config, files, heartbeat)
    trials = AnswerTrials(swap, maker, config)
    return replace(parts, load=trials.load, trials=trials)


def _audio(config: Config, files: tuple[Path, ...], heartbeat: Heartbeat) -> ProcessParts:
    """The process of microphone and loudspeaker; on a reload the same devices stay open."""
    own_voice = make_own_voice(config)
    switch = MuteSwitch.of(config)
    if switch.on:
        log.warning("muted: no microphone opens before %s (audio.mute)", UNMUTING)
    capture = Capture(config.audio.inputs, paused=switch.on)
    heard = HeardReplies(config.state_dir / HEARD_FILE)
    volume = VolumeFile(config.state_dir / VOLUME_FILE)
    playback = Playback(config.audio.output, own_voice, heard, lambda: volume.factor)
    button = mute_button(config.button, switch, config.runtime_dir)
    mute = Mute(switch, capture, button)

    def make(config: Config) -> Stage:
        listener = make_listener(config, own_voice=own_voice, microphones=capture.microphones)
        return AudioStage(listener, playback, config.voice.earcons, mute, capture)

    return ProcessParts(
        make(config),
        HearingBeat(heartbeat, capture, playback),
        (capture, playback, *([button] if button else [])),
        rebuild=lambda: make(reload_settings(files)),
    )


def _sensors(config: Config, files: tuple[Path, ...], heartbeat: Heartbeat) -> ProcessParts:
    """What judges the sensors, on a database that stays open over a reload."""
    store, learning = Store(config.state_dir / SENSORS_FILE), list[Learning]()

    def make(config: Config) -> SensorsStage:
        described = load_sensors(config.sensors_file) if config.sensors_file else Sensors()
        return SensorsStage(described, store, Composition(config).now, this_boot(), learning)

    return ProcessParts(make(config), heartbeat, rebuild=lambda: make(reload_settings(files)))


def _control(config: Config, files: tuple[Path, ...], heartbeat: Heartbeat) -> ProcessParts:
    """The control process; it composes each answer on request, from the current settings."""

    def now() -> Composition:
        return Composition(with_installed(load_config(files)[0]), corrected=True)

    alone = Status(
        processes=tuple(
            ProcessStatus(name=n, state="ready", pid=os.getpid()) for n in config.members
        )
    )
    textfile = Path(config.metrics.textfile).expanduser() if config.metrics.textfile else None
    metrics = MetricsStore(
        config.state_dir / METRICS_FILE,
        config.metrics.keep_utterances,
        textfile,
        lambda: beside().values(),
        config.models_dir,
    )
    recollection, sensors = Recollection(), SensorsSeen()
    keeper = RecordingKeeper(Recordings.of(config), recollection, Composition(config).now)
    server = ControlServer(
        config.control_socket,
        {
            "skills": lambda: now().registry.described(),
            "models": lambda: model_list(now()),
            "stages": lambda: {"type": "Stages", "stages": metrics.figures()},
            "record": keeper.answer,
            "mute": partial(carry_out, MuteSwitch.of(config)),
            "why": recollection.told,
            "sensors": sensors.told,
        },
        heartbeat.line,
        status=None if heartbeat.line else alone,
    )
    home, alerts = DescribedHome(config.described_home), Alerts()

    def make(config: Config) -> ControlStage:
        tracer = _tracer(config, recollection)
        alerts.use(config.alerts.rest_s if config.alerts.act else 0.0)
        return ControlStage(server, metrics, recollection, keeper, home, sensors, tracer, alerts)

    again = partial(reload_settings, files)
    return ProcessParts(make(config), heartbeat, (server,), rebuild=lambda: make(again()))


def _tracer(config: Config, recollection: Recollection) -> Tracer:
    """What traces utterances; each reload may begin or end it."""
    ring = LineRing(config.state_dir / TRACES_FOLDER) if config.traces.keep else None
    return Tracer(recollection, ring, bool(config.traces.endpoint), config.answer.generator)


def model_list(composition: Composition) -> dict[str, Any]:
    """The models of the manifest, whether each is here, and which version is in use."""
    library = composition.library
    return {
        "type": "Models",
        "models": [
            {"name": n, "state": library.state(n).value, "version": library.in_use(n).version}
            for n in library.artefacts
        ],
    }


MAKERS: Mapping[str, Callable[[Config, tuple[Path, ...], Heartbeat], ProcessParts]] = {
    "control": _control,
    "audio": _audio,
    "asr": _asr,
    "nlu": _nlu,
    "skills": _skills,
    "answer": _answer,
    "voice": partial(_swapping, lambda _: HotSwap(Composition.voice)),
    SENSORS: _sensors,
}
"""Process → how what it runs is made."""
