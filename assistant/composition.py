"""Which parts make up each stage, from the settings: the one place that knows them all.

Every process of the daemon composes its own stage; `hear`, `say` and the evaluations compose
several side by side. What takes long or opens a device is made only when asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from assistant.answer.answers import DocumentAnswers
from assistant.answer.build import Answering
from assistant.answer.generation.phrases import Phrases
from assistant.answer.in_flight import InFlight
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.schema import OWN_TEXTS as KNOWN_TEXTS
from assistant.answer.stage import AnswerStage
from assistant.core.clock import time_zone
from assistant.core.config import Config
from assistant.core.database import Database
from assistant.core.degraded import SimplerPath
from assistant.core.errors import InputError, SkillError
from assistant.core.fork import in_fork
from assistant.core.layout import (
    KNOWLEDGE_FILE,
    NAMES_FILE,
    PIN_FILE,
    QUARANTINE_FILE,
    STATE_FILE,
)
from assistant.core.memory import without_collections
from assistant.core.models.manifest import Library
from assistant.core.models.opened import OpenModels
from assistant.core.models.providers import PROVIDERS
from assistant.core.sensors.described import Sensors, load_sensors
from assistant.core.settings import mpd, mpris
from assistant.core.settings.hub import HubSettings
from assistant.core.speakable import SpeakableSource
from assistant.own_texts import OwnTexts
from assistant.recordings.folder import Recordings
from assistant.skill.home import FEED, Entity, Home, load_homes, with_players, without_feeds
from assistant.skill.log import set_level
from assistant.skill.manifest import SkillManifest
from assistant.start_names import StartNames
from audio.asr.stage import AsrStage
from audio.asr.waiting import Waiting
from audio.build import Recognition, make_listener, make_voice
from audio.listener import Listener
from audio.mute.switch import MuteSwitch
from audio.tts.stage import VoiceStage
from nlu.build import FEW, Understanding, answer_reader, speakable_key
from nlu.classifier.intent import IntentModel
from nlu.grammar.templates import Templates
from nlu.stage import NluStage
from skills.capabilities.device import NO_PARTS, DeviceParts
from skills.devices import ends
from skills.isolation.host import Host
from skills.later.evidence import Evidence, clock_evidence
from skills.later.sun import Position
from skills.music import NAME as MUSIC
from skills.music.stations import receivers
from skills.news import NAME as NEWS
from skills.registry import Fault, Registry, load_registry
from skills.revisions import Revisions
from skills.rights.pin_file import PinFile
from skills.rights.rules import Rules, rules_of
from skills.scheduler import this_boot
from skills.sensors import NAME as SENSORS
from skills.stage import SkillsStage
from skills.state import OWN_TEXTS as KEPT_TEXTS

log = logging.getLogger(__name__)

T = TypeVar("T")


class Composition:
    """The stages that `config` describes, over one home and one set of skills.

    `builtin` false leaves only the skills of the configured folders; a `library` has other models
    in use than those that are. Models that are `opened` already are not opened again. `now` gives
    another aware time than the clock's. `corrected` fits understanding to what the user put right.
    `made_up` gives a home for the skills where the settings name none. `told` is called with each
    skill that is left out. Where `start` is the intent model of nearly the same skills, the fit of
    this one starts from it, which takes a tenth of the time. `meanwhile` is one that serves as it
    is, until another is fitted; `at_once`, it is the one that ships. Whether the `simpler` path is
    taken is asked at each step. Only one that `asks_hub` may send anything to the hub of the
    settings. With `phrases` those word answers. `names` stand in the place of those that the
    settings' files give.
    """

    def __init__(
        self,
        config: Config,
        *,
        builtin: bool = True,
        library: Library | None = None,
        opened: OpenModels | None = None,
        now: Callable[[], datetime] | None = None,
        corrected: bool = False,
        made_up: Callable[[Sequence[SkillManifest]], Home] = lambda manifests: Home(),
        told: Callable[[Fault], None] | None = None,
        start: IntentModel | None = None,
        meanwhile: IntentModel | None = None,
        at_once: bool = False,
        simpler: SimplerPath | None = None,
        asks_hub: bool = False,
        phrases: Phrases | None = None,
        names: StartNames | None = None,
    ) -> None:
        own = config if asks_hub else msgspec.structs.replace(config, hub=HubSettings())
        self._config, self._builtin, self._now = own, builtin, now
        self._made_up, self._told = made_up, told or _warn
        self._names = names
        self._start, self._meanwhile, self._at_once = start, meanwhile, at_once
        self._corrected, self._simpler, self._phrases = corrected, simpler, phrases
        PROVIDERS.choose(config.models.providers)
        self.library = library or Library(config.models_dir)
        self._opened = opened or OpenModels()

    @property
    def config(self) -> Config:
        """The settings."""
        return self._config

    @cached_property
    def now(self) -> Callable[[], datetime]:
        """Tells the aware wall time in the user's zone."""
        zone = time_zone(self._config.home.time_zone)
        return self._now or (lambda: datetime.now(zone))

    @cached_property
    def recordings(self) -> Recordings:
        """What was said, where the user has agreed that it is kept."""
        return Recordings.of(self._config)

    @cached_property
    def home(self) -> Home:
        """The areas and devices, and the feeds of news."""
        return with_players(self._told_home, self._config.mpd, self._config.mpris)

    @property
    def _named_home(self) -> Home:
        """The areas and devices that people may name."""
        return without_feeds(self.home)

    @cached_property
    def registry(self) -> Registry:
        """The skills that run; one whose sentences cannot be compiled is left out, by name.

        Where understanding does not need all sentences, a fork compiles those of others' skills.
        """
        if "_sentences" not in vars(self):
            self._refusing(self._check_foreign)
        return self._loaded

    @cached_property
    def understanding(self) -> Understanding:
        """The sentences and models by which texts are understood."""
        sentences = self._sentences
        return Understanding(
            *(self._config, self._loaded.manifests, sentences, self.library, self._opened),
            whole=self._builtin,
            corrections=self.recordings.examples.all() if self._corrected else (),
            start=self._start,
            meanwhile=self._meanwhile,
            at_once=self._at_once,
            simpler=self._simpler,
            names=self._names.given if self._names is not None else None,
        )

    @cached_property
    def answering(self) -> Answering:
        """The documents and models by which questions are answered."""
        return Answering(
            *(self._config, self.library, self._opened, self.now, self._simpler, self._phrases)
        )

    @cached_property
    def recognition(self) -> Recognition:
        """The engine by which speech is recognised."""
        given = self._names.given if self._names is not None else None
        key = speakable_key(
            *(self._config, self._loaded.manifests, self._named_home, self._builtin), given
        )
        speakable = SpeakableSource(key, lambda: self.understanding.speakable())
        few = SpeakableSource(key, lambda: self.understanding.speakable(FEW), FEW)
        names = [str(named) for named in (*self._named_home.areas, *self._named_home.entities)]
        keep = self.recordings.keep_sound
        return Recognition(
            *(self._config, self.library, speakable, names, keep, self._simpler),
            few=few if self._at_once else None,
            texts=self.own_texts,
        )

    @property
    def own_texts(self) -> OwnTexts:
        """What the user keeps here, whose rare words recognition listens for."""
        state = self._config.state_dir
        return OwnTexts({state / STATE_FILE: KEPT_TEXTS, state / KNOWLEDGE_FILE: KNOWN_TEXTS})

    def listener(self, wake: bool = True) -> Listener:
        """The ears of `hear`, which has no devices: those of the daemon belong to its process."""
        return make_listener(self._config, wake)

    def asr(self, waiting: Waiting | None = None) -> AsrStage:
        """Speech recognition, with what was `waiting` when the stage before it was replaced."""
        return self.recognition.stage(waiting)

    def nlu(self, kept: bool = False) -> NluStage:
        """Understanding; if `kept`, it keeps how well that went at first."""
        with without_collections():
            return self.understanding.stage(self.now, kept)

    def skills(
        self,
        database: Database,
        revisions: Revisions | None = None,
        notices: list[str] | None = None,
        device: DeviceParts = NO_PARTS,
    ) -> SkillsStage:
        """The skills, on their database (`skills.state.open_state`), which tell `notices` once.

        `device` is what they may do to the device itself.
        """
        if database.path:
            self._host.quarantine.keep_in(self._config.state_dir / QUARANTINE_FILE)
        with without_collections():
            self.registry.warm()
        return SkillsStage(
            self.registry,
            database,
            self.home,
            answer_reader(self._named_home, self.now),
            self.now,
            this_boot(),
            area=self._config.home.area,
            broker=self._config.reaches_home,
            players=self._players,
            shares_lists=bool(self._config.home_assistant.url),
            revisions=revisions,
            notices=notices,
            recording=lambda: self.recordings.on,
            names=self._config.state_dir / NAMES_FILE if database.path else None,
            where=self._where,
            mute=MuteSwitch.of(self._config).mute if database.path else lambda: None,
            quiet=self._config.announcements.hours,
            network=self._config.network_socket if database.path else None,
            calendar=self._config.calendar_file if database.path else None,
            collection=self._config.calendar.url if database.path else "",
            rules=self.rules,
            pin=PinFile(self._config.state_dir / PIN_FILE) if database.path else None,
            evidence=clock_evidence if database.path else lambda: Evidence.NONE,
            device=device,
            peer_acts=self._config.wyoming.acts == "there",
            sensors=self._sensors,
        )

    @property
    def rules(self) -> Rules:
        """What needs the PIN or is not allowed here; raises `ConfigError` for unknown names."""
        return rules_of(
            *(self._config.security, self.home, self._loaded.manifests),
            may_come=self._config.described_home is not None,
        )

    @property
    def _where(self) -> Position | None:
        """Where the home is; None unless the settings tell it."""
        home = self._config.home
        if home.latitude == "" or home.longitude == "":
            return None
        return Position(home.latitude, home.longitude)

    def answer(
        self,
        knowledge: Knowledge | None = None,
        answers: DocumentAnswers | None = None,
        in_flight: InFlight | None = None,
    ) -> AnswerStage:
        """What no skill claims; with `knowledge` the user's documents are kept in it."""
        return self.answering.stage(knowledge, answers, in_flight)

    def voice(self) -> VoiceStage:
        """The voice; raises `SpeakingError` when there is none."""
        return make_voice(self._config, self.library, self._simpler)

    def _plays_music(self, entities: Sequence[Entity]) -> bool:
        """Whether there is MPD, or a radio station."""
        named = any(e.id == mpd.PLAYER for e in entities) or bool(receivers(entities))
        stations = self._config.skills.settings.get(MUSIC, {}).get("stations")
        return named or bool(self._config.mpd.host) or bool(stations)

    def _has_feeds(self, entities: Sequence[Entity]) -> bool:
        """Whether the settings name a feed of news, or Home Assistant follows one."""
        followed = any(e.domain == FEED for e in entities)
        return followed or bool(self._config.skills.settings.get(NEWS, {}).get("feeds"))

    @property
    def _sensors(self) -> Sensors | None:
        """The sensors that are told of; None where their file is none, which is logged.

        The process that judges them does not run then either, and says why.
        """
        file = self._config.sensors_file
        try:
            return load_sensors(file) if file is not None else None
        except InputError as error:
            log.error("%s (%s)", error.message, error.code)
            return None

    @property
    def _players(self) -> dict[str, str]:
        """Id of each player that is on → the other end that it is at."""
        music = {mpd.PLAYER: ends.PLAYER} if self._config.mpd.host else {}
        return music | ({mpris.PLAYER: ends.SESSION} if self._config.mpris.on else {})

    @property
    def _told_home(self) -> Home:
        """The home of the file that tells of it; where there is none, one that is made up."""
        if self._names is not None:
            return self._names.home
        if files := self._config.home_files:
            return load_homes(files)
        return Home() if self._config.described_home else self._made_up(self._loaded.manifests)

    @cached_property
    def _host(self) -> Host:
        """What runs the skills of others."""
        return Host(self._config.skills.grants)

    @cached_property
    def _loaded(self) -> Registry:
        """The skills that were found; `registry` leaves out those that cannot be compiled."""
        settings = self._config.skills
        folders = [Path(folder).expanduser() for folder in settings.folders]
        # Without a player, a feed, or sensors, sentences would only be in the way of what is heard.
        filed = load_homes(self._config.home_files).entities
        needed = {MUSIC: self._plays_music(filed), NEWS: self._has_feeds(filed)}
        needed[SENSORS] = self._config.sensors_file is not None
        unneeded = (name for name, is_needed in needed.items() if not is_needed)
        registry = load_registry(
            *(folders, self._builtin, (*settings.disabled, *unneeded)),
            *(settings.settings, self._host),
        )
        for fault in registry.faults:
            self._told(fault)
        for manifest in registry.manifests:
            set_level(manifest.name, settings.log.get(manifest.name, ""))
        for bad in registry.setting_faults:
            log.warning("%s is not taken: %s (skill.setting)", bad.setting, bad.message)
        return registry

    @cached_property
    def _sentences(self) -> Templates:
        return self._refusing(self._compile)

    def _check_foreign(self) -> None:
        foreign = self._loaded.foreign
        if foreign:
            in_fork(lambda: Templates.compile(foreign, self._named_home))

    def _compile(self) -> Templates:
        return Templates.compile(self._loaded.manifests, self._named_home)

    def _refusing(self, compiled: Callable[[], T]) -> T:
        """What `compiled` gives, once every skill is refused whose sentences it cannot compile."""
        while True:
            try:
                return compiled()
            except SkillError as error:
                self._loaded.refuse(error.part, error.message)
                self._told(self._loaded.faults[-1])


def _warn(fault: Fault) -> None:
    log.warning("%s does not run: %s (skill.refused)", fault.skill, fault.message)
