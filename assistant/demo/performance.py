"""The demo's daemon: started on fresh state, spoken to through a FIFO, and watched."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assistant.control.client import ControlClient
from assistant.core.codec import of_json
from assistant.core.errors import ControlError
from assistant.core.layout import CONTROL_SOCKET
from assistant.core.messages import (
    BargeIn,
    Commit,
    Message,
    NothingHeard,
    PlaybackEnded,
    PlaybackStarted,
    SpokenReply,
    Transcript,
    Utterance,
    Woke,
)
from audio.frames import FRAME_S, SILENCE

READY_S = 300.0
"""Most seconds of a first start, which prepares what the ear knows: half a minute on a desktop."""
LOOK_S = 0.1
ANSWER_S = 30.0
UNHEARD_S = 3.0
ATTEMPTS = 3
SETTLE_S = 0.03
FRAMES_BETWEEN = 15

CONFIG = """
[audio]
input = "fifo:{folder}/microphone"
output = "folder:{replies}"
[home]
file = "{home}"
area = "kitchen"
[storage]
state = "{folder}/state"
models = "{models}"
runtime = "{folder}/run"
[log]
level = "warning"
"""


class Daemon:
    """A running daemon that can be spoken to, with its files in `folder`, while it is `alive`."""

    def __init__(self, folder: Path, alive: Callable[[], bool]) -> None:
        self._alive = alive
        self._microphone = folder / "microphone"
        self._client = ControlClient(folder / "run" / CONTROL_SOCKET)
        self._events: queue.Queue[Message] = queue.Queue()
        self._deadline_s = 0.0

    def converse(
        self, frames: Sequence[bytes], until: Callable[[Message], bool], again: Callable[[], None]
    ) -> Iterator[Message]:
        """Say `frames` and give what the daemon does until `until`.

        As people do, says them again, telling `again`, when they did not wake it: the wake word
        engine misses one call in some. Raises `ControlError` when nothing helps.
        """
        for attempt in range(ATTEMPTS):
            if attempt:
                again()
            threading.Thread(target=self._play, args=(frames,), daemon=True).start()
            self._deadline_s = time.monotonic() + len(frames) * FRAME_S + UNHEARD_S
            for message in self._arriving():
                yield message
                if until(message):
                    return
                if is_heard(message):
                    self._deadline_s = time.monotonic() + ANSWER_S
        raise ControlError("demo.silent", "the daemon did not answer; run: assistant doctor")

    def _arriving(self) -> Iterator[Message]:
        while (left_s := self._deadline_s - time.monotonic()) > 0:
            try:
                messages = [self._events.get(timeout=left_s)]
            except queue.Empty:
                return
            # Events come from several processes: what was sent earlier may arrive a little later.
            time.sleep(SETTLE_S)
            while not self._events.empty():
                messages.append(self._events.get())
            yield from sorted(messages, key=lambda m: m.at_s)

    def follow(self) -> None:
        """Wait for the daemon to be ready, and gather its events from then on.

        Raises `ControlError` when it takes too long, or ends.
        """
        joined = threading.Event()
        threading.Thread(target=self._gather, args=(joined,), daemon=True).start()
        until_s = time.monotonic() + READY_S
        while not joined.wait(LOOK_S):
            if not self._alive() or time.monotonic() > until_s:
                raise ControlError("demo.start", "the daemon did not start; run: assistant doctor")

    def _play(self, frames: Sequence[bytes]) -> None:
        pause = [SILENCE] * FRAMES_BETWEEN
        with self._microphone.open("wb") as microphone:
            for frame in (*pause, *frames, *pause):
                microphone.write(frame)

    def _gather(self, joined: threading.Event) -> None:
        while not self._ready():
            time.sleep(0.05)
        for event in self._client.follow("watch"):
            joined.set()
            if event["type"] != "Status":
                self._events.put(of_json(event))

    def _ready(self) -> bool:
        try:
            return {p["state"] for p in self._client.ask("status")["processes"]} == {"ready"}
        except (ControlError, ConnectionError):
            return False


@contextmanager
def daemon(folder: Path, replies: Path, home: Path, models: Path) -> Iterator[Daemon]:
    """`assistant run` with its real processes on fresh state in `folder`; stopped at the end."""
    config = folder / "config.toml"
    places = {"folder": folder, "replies": replies.resolve(), "home": home, "models": models}
    config.write_text(CONFIG.format(**places))
    os.mkfifo(folder / "microphone")
    command = [sys.executable, "-m", "assistant", "run", "--config", str(config)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        running = Daemon(folder, lambda: process.poll() is None)
        running.follow()
        yield running
    except ControlError as error:
        said = (folder / "log").read_text("utf-8", "replace").strip()
        raise ControlError(error.code, f"{error.message}\n{said}".strip()) from error
    finally:
        process.terminate()
        process.wait()


def answered() -> Callable[[Message], bool]:
    """Tells when an utterance is over: its reply was played, or there will be none."""
    replied: set[str] = set()
    seen: dict[type[Message], set[tuple[str, int]]] = {Transcript: set(), Commit: set()}

    def over(message: Message) -> bool:
        if isinstance(message, SpokenReply):
            replied.add(message.utterance_id)
        elif isinstance(message, Commit) or (isinstance(message, Transcript) and not message.text):
            seen[type(message)].add((message.utterance_id, message.revision))
        # An early revision may be empty, as of a pause after the wake word; the committed counts.
        nothing = bool(seen[Transcript] & seen[Commit])
        played = isinstance(message, PlaybackEnded) and message.utterance_id in replied
        return played or nothing or isinstance(message, NothingHeard)

    return over


def is_heard(message: Message) -> bool:
    """Whether what was said is heard as said to the assistant."""
    to_it = isinstance(message, Utterance | Transcript) and not message.unasked
    return to_it or isinstance(message, Woke | BargeIn)


def begun(message: Message) -> bool:
    """Tells when a reply begins to sound, which is when one can interrupt it."""
    return isinstance(message, PlaybackStarted)
