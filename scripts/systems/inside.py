"""Run inside a root: says a command to the service, tries what its units should refuse, tries every
way out of a skill, or gives what the models make of a few texts.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from assistant.core.messages import PlaybackStarted, SpokenReply, Utterance
from assistant.core.models.manifest import Library
from assistant.core.models.session import run_all, session_of
from assistant.core.models.tokens import as_inputs, load_tokenizer
from assistant.demo.performance import Daemon, answered
from assistant.demo.story import StoryLine
from audio.frames import frames_of

STATE, RUNTIME = Path("/var/lib/hark"), Path("/run/hark")
BROKER = "127.0.0.1"
OWN = ("/run/hark/", "/run/systemd/notify")
CALLS = {
    "x86_64": {"io_uring": 425, "keyring": 250, "userfaultfd": 323},
    "aarch64": {"io_uring": 425, "keyring": 219, "userfaultfd": 282},
}
LOOSE = """
import json
def tried(way):
    try:
        return bool(way())
    except (Exception, SystemExit):
        return False
ways = ("reads_a_file", "forks", "starts_a_program")
print(json.dumps([way for way in ways if tried(globals()[way])]))
"""
"""What tells that the unit by itself would not hold a skill."""
KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM)
MODELS, LONGEST = ("intent", "ner"), 64
TEXTS = ("turn on the kitchen light", "wake me at seven", "who wrote the letter to Alice Brown")


def speak(command: str, topic: str) -> dict[str, object]:
    """The service's reply to the spoken `command`, and what the broker then gets on `topic`."""
    published: list[str] = []
    client = Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda _client, _data, message: published.append(message.payload.decode())
    client.connect(BROKER)
    client.subscribe(topic)
    client.loop_start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "microphone").symlink_to(STATE / "microphone")
        (folder / "run").symlink_to(RUNTIME)
        daemon = Daemon(folder, lambda: True)  # systemd watches it
        daemon.follow()
        frames = list(frames_of(StoryLine(command).recording))
        messages = list(daemon.converse(frames, answered(), lambda: None))
    client.loop_stop()
    reply = next(m for m in messages if isinstance(m, SpokenReply))
    started = next(m for m in messages if isinstance(m, PlaybackStarted))
    ended_s = [m.speech_ended_at_s for m in messages if isinstance(m, Utterance)][-1]
    waited_s = started.at_s - ended_s
    return {"reply": reply.text, "until_reply_s": waited_s, "published": " ".join(published)}


def probe() -> list[str]:
    """What is open here of that which no part of the service needs."""
    libc = ctypes.CDLL(None)
    calls = CALLS[platform.machine()]
    room = ctypes.create_string_buffer(256)
    tried = {
        "io_uring": libc.syscall(calls["io_uring"], 1, room),
        "keyring": libc.syscall(calls["keyring"], 0, -3, 0),
        "userfaultfd": libc.syscall(calls["userfaultfd"], 0),
    }
    sockets = [path for path in _sockets("/run") if not path.startswith(OWN)]
    return [name for name, result in tried.items() if result >= 0] + sockets


def ways_out() -> dict[str, object]:
    """How many ways out a hostile skill tried here, and those that led out.

    Also which of three are open to code that nothing else confines.
    """
    # Of the repository's tests, which are laid beside the program for this alone.
    from tests.skills.isolation.probes import PROBES
    from tests.support.hostile_skill import functions, hostile_skill, tries

    with tempfile.TemporaryDirectory(dir=STATE) as name:
        folder = Path(name)
        (folder / "secret").write_text("under the pot")
        with hostile_skill(folder, folder / "secret") as skill:
            led_out = [way for way in PROBES if not tries(skill, way).startswith("refused")]
        (folder / "loose.py").write_text(f"{functions(folder / 'secret')}\n{LOOSE}")
        loose = subprocess.run(
            [sys.executable, str(folder / "loose.py")], capture_output=True, text=True, check=True
        )
    return {"tried": len(PROBES), "out": led_out, "loose": json.loads(loose.stdout)}


def _sockets(folder: str) -> Iterator[str]:
    """The sockets below `folder` that take a connection or a message."""
    for here, _, files in os.walk(folder):
        for path in (os.path.join(here, file) for file in files):
            if stat.S_ISSOCK(os.lstat(path).st_mode) and any(_opens(path, k) for k in KINDS):
                yield path


def _opens(path: str, kind: socket.SocketKind) -> bool:
    with socket.socket(socket.AF_UNIX, kind) as end:
        end.setblocking(False)
        try:
            end.connect(path)
        except OSError:
            return False
    return True


def outputs() -> Iterator[list[float]]:
    """What the intent and the NER model make of each text, flattened."""
    library = Library(STATE / "models")
    for name in MODELS:
        content = library.read(name)
        session = session_of(library, name, "model.onnx", content)
        tokenizer = load_tokenizer(content["tokenizer.json"], LONGEST)
        for text in TEXTS:
            for output in run_all(session, as_inputs([tokenizer.encode(text).ids])):
                yield output.ravel().tolist()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["speak", command, topic]:
            print(json.dumps(speak(command, topic)))
        case ["probe"]:
            print(json.dumps(probe()))
        case ["ways-out"]:
            print(json.dumps(ways_out()))
        case ["outputs"]:
            print(json.dumps(list(outputs())))
