"""A home with all that the bridge reaches for a daemon that has no network itself.

A broker with a lamp that announced itself, music, the news, the server of a skill, a calendar and a
hub: their settings are added while the daemon runs.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from assistant.answer.answerer import NOTHING_FOUND
from assistant.bridge.described import described_text
from assistant.bridge.discovery.devices import described
from assistant.bridge.discovery.registry import Registry
from assistant.control.client import ControlClient
from assistant.core.layout import DESCRIBED_HOME_FILE, MEMBERS, NAMES_FILE
from assistant.core.settings.mpd import PLAYER
from assistant.core.settings.mpris import PLAYER as SESSION
from assistant.core.speakable import write_names
from assistant.core.traces.ids import trace_id_of
from tests.support.isolated_skills import written
from tests.support.mosquitto import MOSQUITTO, Lamp, running_broker
from tests.support.mpd import SONGS, FakeMpd
from tests.support.mpris import Player, in_session
from tests.support.network_bridge import EndableBridge
from tests.support.news_feeds import POST, rss
from tests.support.otlp import facts_of, parsed, spans_in
from tests.support.processes import until
from tests.support.radicale import USER, Radicale, event, password_file
from tests.support.real_mpd import BINARY, RealMpd
from tests.support.scenario import (
    PATIENCE_S,
    Daemon,
    Do,
    Expect,
    Rows,
    Say,
    Spoken,
    Type,
    await_read,
    command_line,
    documents_of,
    quiet,
    tell,
)
from tests.support.stand_in_hub import KEY as HUB_KEY
from tests.support.stand_in_hub import WORDS, StandInHub
from tests.support.web_server import WebServer

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed"),
    pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="no dbus-daemon"),
]

TRACES = "/v1/traces"
KEY = "k3y0fTheCellar"
RECIPES = """
from assistant.skill import *

skill = Skill("recipes", api=1, description="find recipes")

@skill.intent("FindRecipe", "find me a recipe")
def find(context: Context) -> Reply:
    return Reply(context.network.get("WEB/hello", secret="token").text)
"""
TOPIC = "homeassistant/light/desk/config"
LAMP = {
    "name": None,
    "schema": "json",
    "cmd_t": "zigbee2mqtt/Desk Lamp/set",
    "stat_t": "zigbee2mqtt/Desk Lamp",
    "avty": [{"t": "zigbee2mqtt/bridge/state", "val_tpl": "{{ value_json.state }}"}],
    "dev": {"ids": ["zigbee2mqtt_0x1"], "name": "Desk Lamp", "sa": "Bedroom"},
}
MUSIC = {
    "playlist": ("Cooking",),
    "genre": ("Jazz", "Rock"),
    "artist": ("Miles Davis", "Queen"),
    "album": ("A Night at the Opera", "Kind of Blue"),
    "title": ("Blue in Green", "Bohemian Rhapsody", "So What"),
}
"""What the player has, by its kinds in their order."""
BEDROOM = "SELECT state FROM devices WHERE entity_id = 'light.bedroom'"
DESK = "SELECT state FROM devices WHERE entity_id = 'light.desk_lamp'"
AWAY = f"SELECT state = 'unavailable' FROM devices WHERE entity_id = '{PLAYER}'"


class Network:
    """A daemon, its bridge, and all that they reach."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self.folder = folder
        self.broker = things.enter_context(running_broker(_made(folder / "broker")))
        self.lamp = things.enter_context(closing(Lamp(self.broker.port, topic="zigbee2mqtt/#")))
        self.lamp.tell("zigbee2mqtt/bridge/state", b'{"state": "online"}')
        self.lamp.tell(TOPIC, json.dumps(LAMP).encode())
        self.mpd = RealMpd(_made(folder / "mpd"), SONGS) if BINARY is not None else FakeMpd()
        things.enter_context(closing(self.mpd))
        self.mpd.start()
        self.web = things.enter_context(closing(WebServer()))
        self.web.pages["/rss.xml"] = rss(*POST)
        self.collector = things.enter_context(closing(WebServer()))
        self.collector.pages[TRACES] = "{}"
        self.radicale = things.enter_context(Radicale.running(_made(folder / "radicale")))
        self.hub = things.enter_context(closing(StandInHub()))
        settings = '[nlu]\nmodels = false\n[log]\nlevel = "debug"\n'
        self.daemon: Daemon = things.enter_context(quiet(_made(folder / "daemon"), settings))
        self._reload()
        self.bridge_log = folder / "bridge.log"
        self.bridge = EndableBridge(self.daemon, self.bridge_log, things)
        for device in ("broker", "player", "calendar"):
            there = Expect("DeviceChanged", {"device": device, "present": True})
            self.daemon.wait_for(there.matches, there.within_s)

    def _reload(self) -> None:
        """Add the settings of all of it while the daemon runs, as on each day but the first.

        What the bridge found is known, and recognition has learnt it.
        """
        self.before = self._processes()
        known = Registry("homeassistant")
        known.announces(TOPIC, json.dumps(LAMP).encode())
        home = described_text(described(known.settle().devices))
        (self.daemon.state_dir / DESCRIBED_HOME_FILE).write_text(home)
        with closing(sqlite3.connect(self.daemon.state_dir / "state.db")) as state, state:
            rows = [(kind, name) for kind, names in MUSIC.items() for name in names]
            state.executemany("INSERT INTO music VALUES (?, ?)", rows)
        names = tuple(name for _, name in rows)
        given = {"music": {"search_query": names}, "news": {"feed": ("Harbour Post",)}}
        write_names(self.daemon.state_dir / NAMES_FILE, given)
        with self.daemon.config.open("a") as config:
            config.write(self._settings())
        reload = command_line("reload", "--config", str(self.daemon.config))
        told = subprocess.run(reload, capture_output=True, text=True, check=True)
        self.reloaded = told.stdout.splitlines()
        self.after = self._processes()

    def _processes(self) -> dict[str, int]:
        return {name: self.daemon.pid(name) for name in MEMBERS}

    def _settings(self) -> str:
        token = _made(self.folder / "secrets" / "recipes") / "token"
        token.write_text(f'origin = "{self.web.origin}"\nauthorization = "Bearer {KEY}"\n')
        hub_key = self.folder / "hub_key"
        hub_key.write_text(HUB_KEY)
        for secret in (token, hub_key):
            secret.chmod(0o600)
        permission = f"network:{self.web.origin}"
        code = RECIPES.replace("WEB", self.web.origin)
        skill = written(self.folder, "recipes", code, (permission,))
        return f"""
[skills]
folders = ["{skill}"]
[skills.grants]
recipes = ["{permission}"]
news = ["{permission}"]
[skills.settings.news]
feeds = {{ "Harbour Post" = "{self.web.origin}/rss.xml" }}
[network]
secrets = "{self.folder / "secrets"}"
[traces]
endpoint = "{self.collector.origin}{TRACES}"
[mqtt]
host = "127.0.0.1"
port = {self.broker.port}
discover = true
announce = true
[mpd]
host = "127.0.0.1"
port = {self.mpd.port}
area = "kitchen"
[mpris]
on = true
name = "Laptop"
area = "kitchen"
[calendar]
url = "{self.radicale.url}"
username = "{USER}"
password_file = "{password_file(self.folder)}"
interval_s = 1
[hub]
url = "{self.hub.url}"
key_file = "{hub_key}"
hears = "all"
"""


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory, laptop: Player) -> Iterator[Network]:
    with ExitStack() as things:
        yield Network(tmp_path_factory.mktemp("network"), things)


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    """A player on the bus of the session that the bridge is in."""
    with ExitStack() as things:
        session = things.enter_context(pytest.MonkeyPatch.context())
        bus = in_session(tmp_path_factory.mktemp("session"), session)
        things.enter_context(closing(bus))
        yield things.enter_context(closing(Player(bus, "vlc")))


def test_settings_and_a_skill_that_are_added_are_there_after_a_reload(network: Network) -> None:
    stages = sorted(set(MEMBERS) - {"control"})
    assert sorted(network.reloaded) == [f"{name}: reloaded" for name in stages]
    assert network.before == network.after


def test_what_only_the_hub_knows_is_heard_and_answered(network: Network) -> None:
    daemon, hub = network.daemon, network.hub
    hub.how = "well"
    tell(
        daemon,
        [
            Say(f"computer, {WORDS}"),
            Expect("Transcript", {"text": WORDS, "engine": "hub"}),
            Expect("Reply", {"text": "In the larder."}),
            Spoken(),
        ],
    )
    assert [path for path, _ in hub.asked] == ["/v1/hear?intents=false", "/v1/answer"]
    said = trace_id_of(daemon.last("Transcript")["utterance_id"])
    assert [trace.split("-")[1] for trace in hub.traces] == [said, said]


def test_what_a_server_answers_is_spoken_and_the_secret_is_nowhere(network: Network) -> None:
    daemon = network.daemon
    network.hub.how = "silent"
    daemon.ask("record", "on", "--yes", "--json")
    tell(
        daemon,
        [
            Say("computer, find me a recipe"),
            Expect("Transcript", {"text": "find me a recipe", "engine": "pocketsphinx"}),
            Expect("Reply", {"text": "hello"}),
            Spoken(),
        ],
    )
    assert ("/hello", f"Bearer {KEY}", "") in network.web.asked
    why = daemon.ask("why", "--json")
    daemon.forget()
    assert "find me a recipe" in str(why)
    until(lambda: any("FindRecipe" in body for _, _, body in network.collector.asked))
    body = next(body for _, _, body in network.collector.asked if "FindRecipe" in body)
    spans = {span.name: span for span in spans_in(parsed(body)).values()}
    assert facts_of(spans["utterance"])["hark.intent"] == "FindRecipe"
    assert spans.keys() >= {"recognition", "understanding", "skill", "playback"}
    assert "recipe " not in body
    assert "hello" not in body
    files = [file for file in (network.folder / "daemon").rglob("*") if file.is_file()]
    assert any("recordings" in file.parts for file in files)
    kept = b"".join(file.read_bytes() for file in files)
    told = f"{daemon.seen} {why} {network.bridge_log.read_text()}"
    assert "recipes asked" in told
    assert KEY not in told
    assert KEY.encode() not in kept


def test_the_headlines_are_told_and_more_of_one_is_read(network: Network) -> None:
    headlines = (
        "The Harbour Post says: Ferry to the islands runs again. Fish market closes on Sundays. "
        "Storm breaks the old pier."
    )
    second = "The Harbour Post says: The market opens again on Monday at six."
    tell(
        network.daemon,
        [
            Type("what is the news"),
            Expect("Reply", {"text": headlines}),
            Type("read me the second one"),
            Expect("Reply", {"text": second}),
        ],
    )
    assert network.web.asked.count(("/rss.xml", "", "")) == 1


def test_what_is_said_reaches_the_broker_and_what_devices_tell_is_known(network: Network) -> None:
    daemon, broker = network.daemon, network.broker
    control = ControlClient(daemon.control)
    with closing(Lamp(broker.port)) as lamp:
        tell(
            daemon,
            [
                Type("turn on the kitchen light"),
                Expect("Reply", {"text": "kitchen light", "acted": True}),
                Rows(BEDROOM, [("off",)]),
                Do("switch it by hand", lambda _: lamp.tell("hark/light/bedroom/state", b"ON")),
                Expect("HomeStates", {"states": {"light.bedroom": "on"}}),
                Type("is the bedroom light on"),
                Expect("Reply", {"text": "yes"}),
                Rows(BEDROOM, [("on",)]),
            ],
        )
        assert lamp.hears("hark/light/kitchen/set") == (b"ON", False)
        control.ask("mute", "on")
        assert lamp.hears("hark/bridge/muted") == (b"ON", False)
        control.ask("mute", "off")
        assert lamp.hears("hark/bridge/muted") == (b"OFF", False)


def test_a_lamp_that_announced_itself_is_switched(network: Network) -> None:
    off = b'{"state": "OFF", "linkquality": 120}'
    tell(
        network.daemon,
        [
            Type("turn on the desk lamp"),
            Expect("Reply", {"text": "desk lamp", "acted": True}),
            Rows(DESK, [("on",)]),
        ],
    )
    assert network.lamp.hears("zigbee2mqtt/Desk Lamp/set") == (b'{"state":"ON"}', False)
    tell(
        network.daemon,
        [
            Do("by hand", lambda _: network.lamp.tell("zigbee2mqtt/Desk Lamp", off)),
            Expect("HomeStates", {"states": {"light.desk_lamp": "off"}}),
            Type("is the desk lamp on"),
            Expect("Reply", {"text": "no"}),
        ],
    )


def test_a_broker_that_restarts_is_missed_and_found_again(network: Network) -> None:
    daemon, broker = network.daemon, network.broker
    tell(
        daemon,
        [
            Do("stop the broker", lambda _: broker.stop()),
            Expect("DeviceChanged", {"device": "broker", "present": False}),
            # What is wished meanwhile waits for it.
            Type("turn off the bedroom light"),
            Expect("Reply", {"text": "bedroom light"}),
        ],
    )
    with network.bridge.paused():  # it tells what waits as soon as it is there, and once
        broker.start()
        lamp = Lamp(broker.port)
    with closing(lamp):
        tell(daemon, [Expect("DeviceChanged", {"device": "broker", "present": True})])
        assert lamp.hears("hark/light/bedroom/set") == (b"OFF", False)


def test_music_is_played_paused_and_missed(network: Network, laptop: Player) -> None:
    plays = [
        Type("play some jazz"),
        Expect("Reply", {"text": "I put on some jazz music.", "acted": True}),
        Expect("HomeStates", {"states": {PLAYER: "playing"}}),
    ]
    tell(
        network.daemon,
        [
            *plays,
            Type("pause the music player"),
            Expect("Reply", {"text": "I paused the music player.", "acted": True}),
            Expect("HomeStates", {"states": {PLAYER: "paused"}}),
            Do("play by hand", lambda _: laptop.plays("So What", "Miles Davis")),
            Expect("HomeStates", {"states": {SESSION: "playing"}}),
            Type("pause the laptop"),
            Expect("Reply", {"text": "I paused the laptop.", "acted": True}),
            Expect("HomeStates", {"states": {SESSION: "paused"}}),
            Do("end MPD", lambda _: network.mpd.stop()),
            Expect("DeviceChanged", {"device": "player", "present": False}),
            Rows(AWAY, [(True,)], PATIENCE_S),
            Type("play some jazz"),
            Expect("Reply", {"text": "I can't reach the music player now."}),
            Do("start MPD", lambda _: network.mpd.start()),
            Expect("DeviceChanged", {"device": "player", "present": True}),
            # Its state, without which nothing is wished of it, follows its presence.
            Rows(AWAY, [(False,)], PATIENCE_S),
            *plays,
        ],
    )
    assert ("Pause",) in laptop.did


def test_the_calendar_of_a_server_is_changed_and_known(network: Network) -> None:
    radicale = network.radicale
    tomorrow = date.today() + timedelta(days=1)
    choir = event("choir", "Choir", f"{tomorrow:%Y%m%d}T200000")
    tell(
        network.daemon,
        [
            Type("put dinner on the calendar tomorrow at six"),
            Expect("Reply", {"text": "in your calendar tomorrow at 6 pm", "acted": True}),
            Do("look there", lambda _: until(lambda: "SUMMARY:Dinner" in radicale.whole())),
            Do("from a phone", lambda _: radicale.put("choir", choir)),
            Expect("CalendarChanged"),
            Do("until both are read", lambda daemon: until(lambda: _are_read(daemon))),
            Type("what is on tomorrow"),
            Expect("Reply", {"text": "Choir at 8 pm"}),
            Do("end it", lambda _: radicale.stop()),
            Expect("DeviceChanged", {"device": "calendar", "present": False}),
            Type("undo that"),
            Expect("Reply", {"text": "Shall I undo that?", "listen": True}),
            Type("yes"),
            Expect("Reply", {"text": "I took that back."}),
            Do("begin it again", lambda _: radicale.start()),
            Do("look there", lambda _: until(lambda: "SUMMARY:Dinner" not in radicale.whole())),
        ],
    )
    assert "SUMMARY:Choir" in radicale.whole()


def _are_read(daemon: Daemon) -> bool:
    """Whether the answers know both events: until then they tell what they read before."""
    return [(one["passages"], one["unencoded"]) for one in documents_of(daemon)] == [(2, 0)]


def test_without_the_bridge_it_is_said_what_is_not_reached(network: Network) -> None:
    tell(
        network.daemon,
        [
            Do("end the bridge", network.bridge.end),
            # What it told last of the calendar is read: until then that is said instead.
            Do("until all is read", await_read),
            Type("what is the news"),
            Expect("Reply", {"text": "I can't reach the Harbour Post news now."}),
            Type("find me a recipe"),
            Expect("StageFailed", {"code": "skill.unreachable", "part": "recipes"}),
            Type(WORDS),
            Expect("Reply", {"text": NOTHING_FOUND}),
        ],
    )
