"""A story told to a real daemon: a timeline of speech, kills and unplugs, and what must come of it.

A scenario is a list of steps. Each step acts on the running daemon or waits, with a deadline, for
what it expects; nothing sleeps. The daemon is `assistant run` with its real processes, cut off from
every network where the tests may do that. The sound card is virtual, or a FIFO and a folder where a
story needs no sound card.
"""

from __future__ import annotations

import fcntl
import json
import os
import queue
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import termios
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import msgspec

from assistant.answer.knowledge.knowledge import READING
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.layout import MEMBERS
from assistant.core.messages import Question, Transcript
from assistant.pipeline import typed
from assistant.serving.processes import consumers
from audio.frames import frames_of


def may_cut_off() -> bool:
    """Whether a process may be given a network of its own, which is none."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode == 0


STARTUP_S = 240.0
PATIENCE_S = 60.0
"""Longest wait for an event, in seconds: a machine that is busy with other tests may need it."""
AGAIN_S = 15.0
"""Seconds after which something is said once more."""
AT_REST_S = 4.0
STOP_S = 60.0
LARGEST_PIPE_BYTES = 1 << 20
"""Half a minute of speech, and the most that a user may ask for."""
LOOK_MS = 20
HOME = Path(__file__).parent / "home.yaml"
CUT_OFF = ("unshare", "--net") if may_cut_off() else ()
"""Before a command: it has no network, not even the loopback device; nothing where not allowed."""


class Mouth(Protocol):
    """Where a scenario's speech goes in: a virtual microphone or a FIFO."""

    def speak(self, wav: Path) -> None:
        """Play a recording into the daemon's microphone, in real time."""


@dataclass(frozen=True)
class Fifo:
    """A mouth at a microphone that is a FIFO (`audio.input = "fifo:PATH"`)."""

    path: Path

    def speak(self, wav: Path) -> None:
        """Write the recording; it returns when all was heard, or the ears have died in mid-word.

        It is written at once: a silence while a busy machine lets this wait would end the sentence.
        """
        samples = b"".join(frames_of(wav))
        with suppress(BrokenPipeError), self.path.open("wb", buffering=0) as fifo:
            fcntl.fcntl(fifo, fcntl.F_SETPIPE_SZ, LARGEST_PIPE_BYTES)
            fifo.write(samples)
            ears = select.poll()
            ears.register(fifo, 0)
            while _waiting(fifo.fileno()) and not ears.poll(LOOK_MS):
                pass


def _waiting(pipe: int) -> int:
    """Bytes that were written and not yet read."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@dataclass
class Daemon:
    """A running `assistant run`, seen as its user's other programs see it."""

    process: subprocess.Popen[bytes]
    config: Path
    state_dir: Path
    control: Path
    mouth: Mouth
    log: Path
    events: queue.Queue[dict[str, Any]] = field(default_factory=queue.Queue)
    passed_over: list[dict[str, Any]] = field(default_factory=list)
    """What came since the scenario last did something, and was not waited for."""
    seen: list[dict[str, Any]] = field(default_factory=list)
    speaking: threading.Thread | None = None
    """Who says something meanwhile."""
    watched: threading.Event = field(default_factory=threading.Event)
    things: ExitStack = field(default_factory=ExitStack)
    """What is closed when the daemon has ended."""

    @cached_property
    def bus(self) -> Bus:
        """The bus that joins the daemon's processes, to send them messages."""
        address = self.things.enter_context(closing(Address(self.control.parent)))
        return self.things.enter_context(
            closing(Bus("scenario", address, MEMBERS, consumers(), ()))
        )

    def type(self, text: str, unasked: bool = False) -> None:
        """Give the daemon a text in place of what recognition hears."""
        for message in typed(uuid.uuid4().hex[:12], text, boottime_s()):
            if isinstance(message, Transcript):
                message = msgspec.structs.replace(message, unasked=unasked)
            self.bus.send(message)

    def ask(self, *arguments: str) -> dict[str, Any]:
        """The last line that a command prints, run with this daemon's settings."""
        return self.objects(*arguments)[-1]

    def objects(self, *arguments: str) -> list[dict[str, Any]]:
        """All lines that a command prints, likewise."""
        command = command_line(*arguments, "--config", str(self.config))
        told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        return [json.loads(line) for line in told.stdout.splitlines()]

    def request(self, command: str) -> dict[str, Any]:
        """One request over the control socket, and its answer."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(STARTUP_S)
            client.connect(str(self.control))
            client.sendall(json.dumps({"command": command}).encode() + b"\n")
            with client.makefile() as lines:
                answer: dict[str, Any] = json.loads(lines.readline())
                return answer

    def pid(self, name: str) -> int:
        """The process id of the stage `name`."""
        processes = self.request("status")["processes"]
        return next(int(p["pid"]) for p in processes if p["name"] == name)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What is really written in the skills' database."""
        database = sqlite3.connect(f"file:{self.state_dir / 'state.db'}?mode=ro", uri=True)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def forget(self) -> None:
        """What comes from now on is the answer to what the scenario does next."""
        while not self.events.empty():
            self.seen.append(self.events.get())
        self.passed_over.clear()

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool], within_s: float) -> dict[str, Any]:
        """The first `wanted` event since `forget`; fails with all that came instead.

        Events of two processes may come in either order, so those passed over count.
        """
        for event in self.passed_over:
            if wanted(event):
                self.passed_over.remove(event)
                return event
        deadline_s = time.monotonic() + within_s
        while (left_s := deadline_s - time.monotonic()) > 0:
            try:
                event = self.events.get(timeout=left_s)
            except queue.Empty:
                break
            self.seen.append(event)
            if wanted(event):
                return event
            if event["type"] != "Level":
                self.passed_over.append(event)
        came = [event for event in self.passed_over if event["type"] != "Status"]
        raise AssertionError(f"not within {within_s} s; came: {came}")

    def last(self, kind: str) -> dict[str, Any]:
        """The last event of that type that the scenario has passed."""
        return next(event for event in reversed(self.seen) if event["type"] == kind)

    def all(self, kind: str, **where: Any) -> list[dict[str, Any]]:
        """Every such event so far."""
        return [event for event in self.seen if Expect(kind, where).matches(event)]

    def watch(self) -> None:
        """Follow the daemon's events from its start, also across the control process's restarts."""
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        while self.process.poll() is None:
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(self.control))
                    client.sendall(b'{"command": "watch"}\n')
                    with client.makefile() as lines:
                        for line in lines:
                            self.watched.set()
                            self.events.put(json.loads(line))
            except OSError:
                threading.Event().wait(0.05)  # the control process is being restarted


class Step(Protocol):
    """One line of a scenario."""

    def run(self, daemon: Daemon) -> None:
        """Do it, or wait for it; raises `AssertionError`."""


@dataclass(frozen=True)
class Say:
    """Someone speaks `text` into the microphone, in one of flite's voices."""

    text: str
    voice: str = "slt"

    def run(self, daemon: Daemon) -> None:
        daemon.forget()
        daemon.mouth.speak(spoken(self.text, self.voice, daemon.state_dir.parent))


@dataclass(frozen=True)
class SayUntil:
    """As `Say`, and as people do once more where it has not come to what it should.

    For a virtual sound card: it drops sound where the machine is busy.
    """

    text: str
    until: Expect
    times: int = 4

    def run(self, daemon: Daemon) -> None:
        for left in reversed(range(self.times)):
            Say(self.text).run(daemon)
            try:
                daemon.wait_for(self.until.matches, PATIENCE_S if not left else AGAIN_S)
            except AssertionError:
                if not left:
                    raise
            else:
                return


@dataclass(frozen=True)
class SayMeanwhile:
    """As `Say`, but the scenario goes on while the words are being spoken."""

    text: str
    voice: str = "slt"

    def run(self, daemon: Daemon) -> None:
        wav = spoken(self.text, self.voice, daemon.state_dir.parent)
        daemon.forget()
        daemon.speaking = threading.Thread(target=daemon.mouth.speak, args=(wav,), daemon=True)
        daemon.speaking.start()


@dataclass(frozen=True)
class Type:
    """Someone types `text`: for stories that are not about hearing.

    `unasked` is what was said without the wake word.
    """

    text: str
    unasked: bool = False

    def run(self, daemon: Daemon) -> None:
        daemon.forget()
        daemon.type(self.text, self.unasked)


@dataclass(frozen=True)
class Expect:
    """An event of this type comes, its fields as given; strings may be contained in any case."""

    type: str
    where: Mapping[str, Any] = field(default_factory=dict)
    within_s: float = PATIENCE_S

    def run(self, daemon: Daemon) -> None:
        daemon.wait_for(self.matches, self.within_s)

    def matches(self, event: dict[str, Any]) -> bool:
        """Whether this is the event."""
        return event["type"] == self.type and all(
            _alike(event.get(name), value) for name, value in self.where.items()
        )


@dataclass(frozen=True)
class Spoken:
    """The reply that came last is spoken to its end, whatever else may be played meanwhile."""

    within_s: float = PATIENCE_S

    def run(self, daemon: Daemon) -> None:
        reply = daemon.last("Reply")["utterance_id"]
        Expect("PlaybackEnded", {"utterance_id": reply}, self.within_s).run(daemon)


@dataclass(frozen=True)
class Never:
    """From what the scenario last did to an event `until`, no other event of these types comes."""

    types: tuple[str, ...]
    until: Expect

    def run(self, daemon: Daemon) -> None:
        self.until.run(daemon)
        came = [event for event in daemon.passed_over if event["type"] in self.types]
        assert not came, f"came, and should not have: {came}"


@dataclass(frozen=True)
class Kill:
    """A stage's process gets a signal, SIGKILL unless told otherwise (SIGSTOP: it hangs)."""

    stage: str
    signal: signal.Signals = signal.SIGKILL

    def run(self, daemon: Daemon) -> None:
        pid = daemon.pid(self.stage)
        daemon.forget()
        os.kill(pid, self.signal)


@dataclass(frozen=True)
class Rows:
    """The database holds exactly these rows: at once, or where no event tells of it in time."""

    query: str
    rows: Sequence[tuple[Any, ...]]
    within_s: float = 0.0

    def run(self, daemon: Daemon) -> None:
        deadline_s = time.monotonic() + self.within_s
        while (found := daemon.rows(self.query)) != list(self.rows):
            assert time.monotonic() < deadline_s, f"found: {found}"
            threading.Event().wait(0.02)


@dataclass(frozen=True)
class Do:
    """Anything else, by name."""

    what: str
    act: Callable[[Daemon], None]

    def run(self, daemon: Daemon) -> None:
        daemon.forget()
        self.act(daemon)


@dataclass(frozen=True)
class Rest:
    """Whoever speaks has come to an end, the assistant too, and so has what comes of it."""

    for_s: float = AT_REST_S

    def run(self, daemon: Daemon) -> None:
        if daemon.speaking is not None:
            daemon.speaking.join(STARTUP_S)
        since_s = began_s = time.monotonic()
        while (now_s := time.monotonic()) - since_s < self.for_s and now_s - began_s < STARTUP_S:
            with suppress(queue.Empty):
                event = daemon.events.get(timeout=0.1)
                daemon.seen.append(event)
                if event["type"] not in ("Level", "Status"):
                    since_s = time.monotonic()
            if _plays(daemon):
                since_s = time.monotonic()


def _plays(daemon: Daemon) -> bool:
    """Whether anything began to be played and has not ended: the next begins before it is told."""
    playing = set[str]()
    for event in daemon.seen:
        if event["type"] == "PlaybackStarted":
            playing.add(event["utterance_id"])
        elif event["type"] == "PlaybackEnded":
            playing.discard(event["utterance_id"])
        elif event["type"] == "StageRestarted" and event["stage"] in ("audio", "control"):
            playing.clear()
    return bool(playing)


def tell(daemon: Daemon, story: Sequence[Step]) -> None:
    """Run the steps in order; a failure names the step and shows the end of the daemon's log."""
    for number, step in enumerate(story, 1):
        try:
            step.run(daemon)
        except AssertionError as error:
            log = daemon.log.read_text()[-3000:]
            raise AssertionError(f"step {number}, {step}: {error}\n--- log\n{log}") from error


@contextmanager
def running(
    folder: Path,
    settings: str,
    mouth: Mouth,
    environment: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
    within: Sequence[str] = (),
) -> Iterator[Daemon]:
    """A real daemon with `settings` (TOML) over its own folders; ended by SIGTERM within 2 s.

    `within` is a command that runs the daemon's in circumstances of its own.
    """
    state, runtime, config, log = (
        folder / name for name in ("state", "runtime", "config.toml", "daemon.log")
    )
    state.mkdir(exist_ok=True)
    # Of all tests: a language model is made once.
    cache = os.environ.get("CACHE_DIRECTORY", folder.parent / "cache")
    storage = f'[storage]\nstate = "{state}"\nruntime = "{runtime}"\ncache = "{cache}"\n'
    # A machine that is busy with other tests is slow: no story is to depend on that by itself.
    alerts = "" if "[alerts]" in settings else "[alerts]\nact = false\n"
    config.write_text(storage + alerts + settings)
    command = [*CUT_OFF, *within, *command_line("run", "--config", str(config), *arguments)]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env={**os.environ, **(environment or {})}
        )
    daemon = Daemon(process, config, state, runtime / "control.sock", mouth, log)
    try:
        daemon.watch()
        _await_ready(daemon)
        yield daemon
    finally:
        killed = process.poll() == -signal.SIGKILL  # by the scenario itself
        process.send_signal(signal.SIGTERM)
        try:
            assert killed or process.wait(STOP_S) == 0, log.read_text()[-3000:]
        finally:
            process.kill()
            daemon.things.close()


@contextmanager
def quiet(
    folder: Path,
    settings: str = "",
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    within: Sequence[str] = (),
) -> Iterator[Daemon]:
    """A daemon without a sound card: a FIFO for a microphone, a folder for a loudspeaker."""
    audio = f'[audio]\ninput = "fifo:{folder / "mic"}"\noutput = "folder:{folder / "replies"}"\n'
    home = f'[home]\nfile = "{HOME}"\n'
    mouth = Fifo(folder / "mic")
    all_settings = audio + home + settings
    with running(folder, all_settings, mouth, environment, arguments, within) as daemon:
        yield daemon


def documents_of(daemon: Daemon) -> list[dict[str, Any]]:
    """The documents as `assistant documents list` tells them."""
    listing = command_line("documents", "list", "--json", "--config", str(daemon.config))
    told = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in told.splitlines()]


def await_indexed(daemon: Daemon, folder: Path) -> None:
    """Wait until every document below `folder` can be found by its meaning."""
    files = sum(file.is_file() for file in folder.rglob("*"))
    deadline_s = time.monotonic() + STARTUP_S
    while time.monotonic() < deadline_s:
        rows = documents_of(daemon)
        if len(rows) == files and not any(row["unencoded"] for row in rows):
            await_read(daemon)
            return
        threading.Event().wait(0.2)
    raise AssertionError("the documents are not indexed")


def await_read(daemon: Daemon) -> None:
    """Wait until it no longer replies that it is still reading its documents."""
    deadline_s = time.monotonic() + STARTUP_S
    while time.monotonic() < deadline_s:
        asked = uuid.uuid4().hex
        daemon.bus.send(Question(utterance_id=asked, text="who is Zyx", at_s=boottime_s()))
        reply = daemon.wait_for(Expect("Reply", {"utterance_id": asked}).matches, PATIENCE_S)
        if reply["text"] != READING.format(what="documents"):
            return
        threading.Event().wait(0.2)
    raise AssertionError("the documents are not read")


@contextmanager
def bridged(daemon: Daemon, device: str) -> Iterator[Daemon]:
    """The daemon with its bridge, once `device`, as in `DeviceChanged`, is there."""
    bridge = subprocess.Popen(command_line("bridge", "--config", str(daemon.config)))
    try:
        daemon.wait_for(Expect("DeviceChanged", {"device": device, "present": True}).matches, 30)
        yield daemon
    finally:
        bridge.terminate()
        assert bridge.wait(10) == 0


def served(light: str = "on", *, typed: bool = False) -> list[Step]:
    """The next utterance is served in full."""
    text = f"turn {light} the kitchen light"
    return [
        Type(text) if typed else Say(f"computer, {text}"),
        Expect("Reply", {"text": "kitchen light", "acted": True}),
        Spoken(),
        Rows("SELECT state FROM devices WHERE entity_id = 'light.kitchen'", [(light,)]),
    ]


def command_line(*arguments: str) -> list[str]:
    """The command line of `assistant`."""
    return [sys.executable, "-m", "assistant", *arguments]


def spoken(text: str, voice: str, cache: Path) -> Path:
    """A recording of `text` in a flite voice, made once per folder."""
    name = "".join(c if c.isalnum() else "_" for c in f"{voice}_{text}")[:80]
    wav = cache / f"{name}.wav"
    if not wav.exists():
        subprocess.run(["flite", "-voice", voice, "-t", f"{text} ", "-o", wav], check=True)
    return wav


def _alike(actual: Any, wanted: Any) -> bool:
    if isinstance(wanted, str) and isinstance(actual, str):
        return wanted.casefold() in actual.casefold()
    return bool(actual == wanted)


def _await_ready(daemon: Daemon) -> None:
    deadline_s = time.monotonic() + STARTUP_S
    while time.monotonic() < deadline_s:
        assert daemon.process.poll() is None, daemon.log.read_text()[-3000:]
        try:
            states = [p["state"] for p in daemon.request("status")["processes"]]
        except (OSError, ValueError, KeyError):
            states = []
        if set(states) == {"ready"} and daemon.watched.is_set():
            return
        threading.Event().wait(0.05)
    raise AssertionError(f"not ready within {STARTUP_S} s: {daemon.log.read_text()[-3000:]}")
