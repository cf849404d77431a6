"""Check the services for others against a real Home Assistant, which uses them as its own.

    python -m benchmarks.real_wyoming [FOLDER]

The real daemon and `assistant rooms` run, and Home Assistant, as in `real_home_assistant`, is given
their address by its own config flow. Then its own API has a recording transcribed, a text spoken,
and texts carried out by "Hark" as a conversation agent; at last it carries them out itself.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import time
import wave
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import typer

from assistant.bench.rig import running_daemon
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import Samples, at_rate
from audio.tts.flite import Flite
from benchmarks.home_assistant_demo import (
    ANSWERS_S,
    CONFIGURATION,
    STARTS_S,
    URL,
    installed,
    new_token,
    posted,
    running,
)
from benchmarks.rooms import rooms, wait_for

PORT = 10_391
HOME = Path("assistant/demo/home.yaml")
SETTINGS = f'[wyoming]\nallow = ["127.0.0.1"]\naddress = "127.0.0.1"\nport = {PORT}\n'
SERVICES = {"stt.hark", "tts.hark", "conversation.hark", "wake_word.hark"}
HEARD = ("turn on the kitchen light", "set a timer for ten minutes", "what's the weather")
DONE = (
    ("turn on the kitchen light", "I turned on the kitchen light."),
    ("turn it off", "I turned off the kitchen light."),
    ("set a timer", "For how long?"),
    ("ten minutes", "Timer for ten minutes, starting now."),
    ("how fast does a swallow fly", "I don't know"),
)
ITS_HOME = """\
areas:
  - {id: kitchen, name: Kitchen}
entities:
  - {id: light.kitchen_lights, name: Kitchen Lights, area: kitchen}
  - {id: light.ceiling_lights, name: Ceiling Lights}
  - {id: light.lamp, name: Piano Lamp}
"""
ACTS_THERE = """acts = "there"\n"""
DONE_THERE = (
    ("turn off the kitchen lights", "I turned off", "light.kitchen_lights", "off"),
    ("turn on the kitchen lights", "I turned on", "light.kitchen_lights", "on"),
    ("turn off the ceiling lights", "I turned off", "light.ceiling_lights", "off"),
    ("set the ceiling lights to forty percent", "I set", "light.ceiling_lights", "102"),
    ("set a timer", "For how long?", "", ""),
    ("ten minutes", "Timer for ten minutes, starting now.", "", ""),
    ("turn on the piano lamp", "Error handling intent", "", ""),
)
"""Texts, what is said to each, and the state or brightness of Home Assistant's device then.

The piano lamp it has not.
"""
SPOKEN = "Dinner is ready. Come along."


def main() -> int:
    """Print one line for each check; status 1 when one fails."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/home-assistant").absolute()
    hass = installed(folder)
    if hass is None:
        return 0
    with tempfile.TemporaryDirectory() as name:
        config = Path(name)
        (config / "configuration.yaml").write_text(CONFIGURATION, "utf-8")
        with running(hass, config):
            proof = {"Authorization": f"Bearer {new_token()}"}
            with running_daemon(HOME.read_text("utf-8"), SETTINGS) as rig, rooms(rig):
                failed = added(proof, PORT, SERVICES)
                failed += sum(_heard(proof, text) for text in HEARD)
                failed += _spoken(proof)
                failed += sum(_done(proof, text, reply) for text, reply in DONE)
            with running_daemon(ITS_HOME, SETTINGS + ACTS_THERE) as rig, rooms(rig):
                wait_for(PORT)
                failed += sum(_done_there(proof, *check) for check in DONE_THERE)
        shutil.copy(config / "log", folder / "wyoming.log")
    return int(failed > 0)


def added(proof: dict[str, str], port: int, wanted: set[str]) -> bool:
    """Add what listens at `port` as an owner does; True where an entity of `wanted` is missing."""
    flows = "/api/config/config_entries/flow"
    flow = posted(flows, headers=proof, json={"handler": "wyoming"})["flow_id"]
    address = {"host": "127.0.0.1", "port": port}
    made = posted(f"{flows}/{flow}", headers=proof, json=address)
    until_s = time.monotonic() + STARTS_S
    there: set[str] = set()
    while time.monotonic() < until_s and not wanted <= there:
        states = httpx2.get(f"{URL}/api/states", headers=proof, timeout=ANSWERS_S).json()
        there = {one["entity_id"] for one in states}
        time.sleep(0.2)
    return told(f"added: {made.get('title')}", wanted <= there)


def _heard(proof: dict[str, str], text: str) -> bool:
    speech = "format=wav; codec=pcm; sample_rate=16000; bit_rate=16; channel=1; language=en"
    began_s = time.monotonic()
    answer = httpx2.post(
        f"{URL}/api/stt/stt.hark",
        headers={**proof, "X-Speech-Content": speech},
        content=_recording(text),
        timeout=ANSWERS_S,
    )
    took_ms = 1000 * (time.monotonic() - began_s)
    words = answer.json().get("text") if answer.is_success else answer.status_code
    return told(f"transcribed in {took_ms:.0f} ms: {words}", words == text)


def _recording(text: str) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(SAMPLE_RATE_HZ)
        wav.writeframes(sound(text).tobytes())
    return file.getvalue()


def sound(text: str) -> Samples:
    """The text in flite's voice, 16 kHz mono, in half a second of silence on either side."""
    said = Flite("slt").synthesise(text)
    quiet: Samples = np.zeros(SAMPLE_RATE_HZ // 2, np.int16)
    return np.concatenate([quiet, at_rate(said.pcm, said.rate_hz, SAMPLE_RATE_HZ), quiet])


def _spoken(proof: dict[str, str]) -> bool:
    wanted = {"engine_id": "tts.hark", "message": SPOKEN, "language": "en", "cache": False}
    wanted["options"] = {"preferred_format": "wav"}
    path = posted("/api/tts_get_url", headers=proof, json=wanted)["path"]
    answer = httpx2.get(f"{URL}{path}", timeout=ANSWERS_S)
    length_s = 0.0
    if answer.is_success and answer.content.startswith(b"RIFF"):
        with wave.open(io.BytesIO(answer.content)) as wav:
            length_s = wav.getnframes() / wav.getframerate()
    return told(f"spoken: {length_s:.1f} s of sound", 1.0 < length_s < 6.0)


def _done(proof: dict[str, str], text: str, reply: str) -> bool:
    wanted = {"text": text, "agent_id": "conversation.hark", "language": "en"}
    began_s = time.monotonic()
    answer: dict[str, Any] = posted("/api/conversation/process", headers=proof, json=wanted)
    took_ms = 1000 * (time.monotonic() - began_s)
    words = answer["response"]["speech"]["plain"]["speech"]
    return told(f"“{text}” in {took_ms:.0f} ms: {words}", words.startswith(reply))


def _done_there(proof: dict[str, str], text: str, reply: str, entity_id: str, state: str) -> bool:
    failed = _done(proof, text, reply)
    if not entity_id:
        return failed
    there = httpx2.get(f"{URL}/api/states/{entity_id}", headers=proof, timeout=ANSWERS_S).json()
    about = there["state"], str(there["attributes"].get("brightness"))
    return told(f"{entity_id}: {' '.join(about)}", state in about) or failed


def told(what: str, good: bool) -> bool:
    """Print the result of a check, and return whether it failed."""
    typer.echo(f"{'ok    ' if good else 'FAILED'} {what}")
    return not good


if __name__ == "__main__":
    raise SystemExit(main())
