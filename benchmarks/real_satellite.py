"""Check a satellite whose base is a real Home Assistant, with Hark's services behind it.

    python -m benchmarks.real_satellite [FOLDER]

The real daemon and `assistant rooms` run, as in `real_wyoming`, and `assistant satellite`, whose
microphone is a FIFO and whose loudspeaker is a folder. Home Assistant is given the addresses of
both by its own config flow. What flite's voice says to the satellite goes to Home Assistant, from
there to Hark's recogniser, skills and voice, and is answered by the satellite. Home Assistant
converts each reply by ffmpeg; where there is none, the package imageio-ffmpeg brings one.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import wave
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import typer
from websockets.sync.client import ClientConnection

from assistant.bench.rig import Rig, running_daemon
from assistant.core.messages import SAMPLE_RATE_HZ
from benchmarks.home_assistant_demo import (
    ANSWERS_S,
    CONFIGURATION,
    URL,
    connected,
    installed,
    new_token,
    running,
    with_packages,
)
from benchmarks.real_wyoming import HOME, SERVICES, SETTINGS, added, sound, told
from benchmarks.real_wyoming import PORT as SERVICES_PORT
from benchmarks.rooms import rooms

SATELLITE_PORT = 10_393
ENTITY = "assist_satellite.kitchen"
MUTE, PIPELINE = "switch.kitchen_mute", "select.kitchen_assistant"
OWN, BUILT_IN = "Hark", "Built-in"
"""Names of the pipelines: whose end is Hark's agent, and Home Assistant's own."""
LIGHT = "SELECT state FROM devices WHERE entity_id = 'light.kitchen'"
ANNOUNCED = "Dinner is ready. Come along."
WITHIN_S = 20.0
MUTED_S = 11.0
"""Seconds for which it is muted, longer than a base that wants something is ever silent."""
LOGGED = """\
logger:
  logs:
    homeassistant.components.assist_pipeline: debug
    homeassistant.components.wyoming: debug
"""


class Board:
    """The satellite's process, what it hears, and what it has played."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self._microphone, self._replies = folder / "microphone", folder / "replies"
        self._log = folder / "satellite.log"
        settings = folder / "satellite.toml"
        settings.write_text(
            f'[audio]\ninput = "fifo:{self._microphone}"\noutput = "folder:{self._replies}"\n'
        )
        here = ("--address", "127.0.0.1", "--port", str(SATELLITE_PORT), "--config", str(settings))
        command = (sys.executable, "-m", "assistant", "satellite", "--base", "127.0.0.1")
        with self._log.open("ab") as log:
            process = subprocess.Popen((*command, "--name", "Kitchen", *here), stderr=log)
        things.callback(process.wait, 10)
        things.callback(process.terminate)

    def say(self, text: str) -> float:
        """Say something to it, and give the time at which the last sound of that is heard."""
        samples = sound(text)
        ends_s = time.time() + len(samples) / SAMPLE_RATE_HZ - 0.5
        with self._microphone.open("wb") as fifo:
            fifo.write(samples.tobytes())
        return ends_s

    def log(self) -> str:
        """What it has logged."""
        return self._log.read_text("utf-8")

    def played(self) -> list[Path]:
        """The replies of the base and its own notices so far, in the order of their ends."""
        return sorted(self._replies.glob("*.wav"), key=os.path.getmtime)


class Base:
    """Home Assistant by its API, and the states that the satellite's entity has had."""

    def __init__(self, token: str, things: ExitStack) -> None:
        self.states: list[str] = []
        self.proof = {"Authorization": f"Bearer {token}"}
        self._numbers = count(1)
        self._line, watched = (things.enter_context(connected(token)) for _ in range(2))
        self._ask(watched, type="subscribe_events", event_type="state_changed")
        threading.Thread(target=self._follow, args=(watched,), daemon=True).start()

    def make_pipeline(self, name: str, agent: str) -> str:
        """Make a pipeline of Hark's ear and voice around an agent; its id."""
        engines = {"stt_engine": "stt.hark", "tts_engine": "tts.hark", "conversation_engine": agent}
        languages = ("language", "conversation_language", "stt_language", "tts_language")
        without = dict.fromkeys(("tts_voice", "wake_word_entity", "wake_word_id"))
        wanted = {"name": name, **engines, **dict.fromkeys(languages, "en"), **without}
        return str(self._ask(self._line, type="assist_pipeline/pipeline/create", **wanted)["id"])

    def prefer(self, pipeline: str) -> None:
        """Have satellites use a pipeline, unless they are told another."""
        wanted = "assist_pipeline/pipeline/set_preferred"
        self._ask(self._line, type=wanted, pipeline_id=pipeline)

    def call(self, service: str, entity: str, **data: Any) -> bool:
        """Call a service, as "switch/turn_on"; whether it worked."""
        wanted = {"entity_id": entity, **data}
        path = f"{URL}/api/services/{service}"
        return httpx2.post(path, headers=self.proof, json=wanted, timeout=ANSWERS_S).is_success

    def _ask(self, line: ClientConnection, **wanted: Any) -> Any:
        line.send(json.dumps({"id": next(self._numbers), **wanted}))
        answer = json.loads(line.recv())
        if not answer["success"]:
            raise SystemExit(f"Home Assistant refuses {wanted['type']}: {answer['error']}")
        return answer["result"]

    def _follow(self, line: ClientConnection) -> None:
        for event in map(json.loads, line):  # until Home Assistant hangs up
            data = event["event"]["data"]
            if data["entity_id"] == ENTITY and data["new_state"] is not None:
                self.states.append(data["new_state"]["state"])


class Checks:
    """The checks, in the order in which they are run; each tells whether it failed."""

    def __init__(self, rig: Rig, board: Board, base: Base, log: Path) -> None:
        self._rig, self._board, self._base, self._log = rig, board, base, log

    def command(self, text: str, light: str) -> bool:
        """A command is carried out by the daemon, and answered by the satellite."""
        before = self._board.played()
        self._base.states.clear()
        ended_s = self._board.say(text)
        done = _until(lambda: self._light() == light and self._idle_again(before))
        new = self._board.played()[len(before) :]
        length_s = sum(map(_length_s, new))
        waited_s = new[0].stat().st_mtime - _length_s(new[0]) - ended_s if new else 0.0
        states = ", ".join(self._base.states)
        told_of = f"the light is {self._light()}; {len(new)} reply of {length_s:.1f} s"
        good = (
            done
            and self._base.states == ["listening", "processing", "responding", "idle"]
            and len(new) == 1
            and 1.0 < length_s < 6.0
        )
        return told(f"“{text}”: {told_of}, begun after {waited_s:.1f} s; {states}", good)

    def announcement(self) -> bool:
        """An announcement is played to its end, of which Home Assistant is told."""
        before = self._board.played()
        without = self._log.read_text("utf-8").count("Did not receive played event")
        began_s = time.monotonic()
        worked = self._base.call("assist_satellite/announce", ENTITY, message=ANNOUNCED)
        took_s = time.monotonic() - began_s
        new = self._board.played()[len(before) :]
        length_s = sum(map(_length_s, new))
        waits = self._log.read_text("utf-8").count("Did not receive played event")
        good = worked and len(new) == 1 and 1.0 < length_s < took_s and waits == without
        return told(f"announced: {length_s:.1f} s of sound in {took_s:.1f} s", good)

    def mute(self) -> bool:
        """Nothing that is said while it is muted goes to Home Assistant."""
        self._base.call("switch/turn_on", MUTE)
        self._base.states.clear()
        before = self._board.played()
        time.sleep(MUTED_S)
        self._board.say("computer, turn off the kitchen light")
        noticed = _until(lambda: len(self._board.played()) > len(before))
        last = self._board.log().splitlines()[-1]
        good = noticed and "muted" in last and not self._base.states and self._light() == "on"
        return told(f"muted: nothing is sent; {last}", good)

    def unmute(self) -> bool:
        """It works again."""
        here = self._board.log().count("a base is here")
        self._base.call("switch/turn_off", MUTE)
        back = _until(lambda: self._board.log().count("a base is here") > here)
        return told("unmuted: the base is here again", back) or self.command(
            "computer, turn off the kitchen light", "off"
        )

    def timer(self) -> bool:
        """A timer of Home Assistant's own agent rings at the satellite."""
        self._base.call("select/select_option", PIPELINE, option=BUILT_IN)
        before = self._board.played()
        self._board.say("computer, set a timer for three seconds")
        rang = _until(lambda: self._board.played()[-1].stem.startswith("own-"))
        new = [
            f"{path.stem} {_length_s(path):.1f} s" for path in self._board.played()[len(before) :]
        ]
        self._base.call("select/select_option", PIPELINE, option="preferred")
        return told(f"a timer of Home Assistant's: {', '.join(new)}", rang and len(new) == 2)

    def gone(self) -> bool:
        """The satellite notices that Home Assistant was stopped."""
        gone = _until(lambda: "satellite.gone" in self._board.log().splitlines()[-1])
        return told(f"Home Assistant is stopped: {self._board.log().splitlines()[-1]}", gone)

    def back(self) -> bool:
        """Home Assistant was started again."""
        back = _until(lambda: "a base is here" in self._board.log().splitlines()[-1])
        return told("Home Assistant is started again: the base is here", back)

    def _light(self) -> str:
        database = sqlite3.connect(f"file:{self._rig.state_dir / 'state.db'}?mode=ro", uri=True)
        try:
            return str(database.execute(LIGHT).fetchone()[0])
        finally:
            database.close()

    def _idle_again(self, before: list[Path]) -> bool:
        return self._base.states[-1:] == ["idle"] and len(self._board.played()) > len(before)


def main() -> int:
    """Print one line for each check; status 1 when one fails."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/home-assistant").absolute()
    hass = installed(folder)
    ffmpeg = _ffmpeg(hass) if hass is not None else None
    if hass is None or ffmpeg is None:
        return 0
    with tempfile.TemporaryDirectory() as name, ExitStack() as things:
        config = Path(name)
        more = f'ffmpeg:\n  ffmpeg_bin: "{ffmpeg}"\n{LOGGED}'
        (config / "configuration.yaml").write_text(CONFIGURATION + more, "utf-8")
        rig = things.enter_context(running_daemon(HOME.read_text("utf-8"), SETTINGS))
        things.enter_context(rooms(rig))
        board = Board(config, things)
        try:
            failed = _checked(hass, config, rig, board)
        finally:
            shutil.copy(config / "log", folder / "satellite-base.log")
            (folder / "satellite.log").write_text(board.log(), "utf-8")
    return int(failed > 0)


def _checked(hass: Path, config: Path, rig: Rig, board: Board) -> int:
    """How many checks failed."""
    with running(hass, config), ExitStack() as things:
        token = new_token()
        base = Base(token, things)
        checks = Checks(rig, board, base, config / "log")
        failed = added(base.proof, SERVICES_PORT, SERVICES)
        failed += added(base.proof, SATELLITE_PORT, {ENTITY, MUTE, PIPELINE})
        base.prefer(base.make_pipeline(OWN, "conversation.hark"))
        base.make_pipeline(BUILT_IN, "conversation.home_assistant")
        failed += checks.command("computer, turn on the kitchen light", "on")
        failed += checks.announcement()
        failed += checks.mute()
        failed += checks.unmute()
        failed += checks.timer()
    failed += checks.gone()
    with running(hass, config), ExitStack() as things:
        checks = Checks(rig, board, Base(token, things), config / "log")
        failed += checks.back()
        failed += checks.command("computer, turn on the kitchen light", "on")
    return failed


def _ffmpeg(hass: Path) -> str | None:
    """The program; None, and why, where there is none and none can be installed."""
    own = shutil.which("ffmpeg")
    if own is None and with_packages(hass, "imageio-ffmpeg"):
        (found,) = hass.parents[1].glob(
            "lib/python3.*/site-packages/imageio_ffmpeg/binaries/ffmpeg-*"
        )
        own = str(found)
    if own is None:
        typer.echo("skipped: there is no ffmpeg, which Home Assistant needs for a satellite")
    return own


def _until(true: Callable[[], bool]) -> bool:
    """Whether it becomes true in time."""
    until_s = time.monotonic() + WITHIN_S
    while time.monotonic() < until_s:
        if true():
            return True
        time.sleep(0.05)
    return False


def _length_s(path: Path) -> float:
    with wave.open(str(path)) as wav:
        return wav.getnframes() / wav.getframerate()


if __name__ == "__main__":
    raise SystemExit(main())
