"""A hub that is unplugged in mid-request: `python -m benchmarks.hub.unplugged [--times N]`.

A real hub serves one home, and a real bridge reaches it through a cable that this process holds.
Before each cut the hub is asked once with the cable in. Then the cable is pulled while a request is
under way, at a moment by chance: every second time what is sent is lost, as where a plug is pulled,
else the connection is reset, as where the hub is switched off. Requests are by turns a command of
the demo, as a sound, and a question to documents that only the hub has. Each must get what the
device makes of it alone, within `hub.within_s` and the time that this takes.
"""

from __future__ import annotations

import argparse
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from assistant.answer.generation.token_scheduler import TokenScheduler
from assistant.answer.in_flight import InFlight
from assistant.composition import Composition
from assistant.control.metrics import percentile
from assistant.core.clock import boottime_s
from assistant.core.config import Config, load_config
from assistant.core.messages import (
    AudioChunk,
    Message,
    Question,
    SpokenReply,
    Tick,
    Transcript,
    Utterance,
)
from assistant.core.settings.hub import HubSettings
from assistant.core.stage import Stage
from audio.frames import frames_of
from benchmarks.hub.service import hub, prepared

ROOT = Path(__file__).parents[2]
DOCUMENTS, RECORDINGS = ROOT / "examples" / "documents", ROOT / "assistant/demo/recordings"
ASKED, KNOWN = "how long does the guarantee of the dishwasher run", "three years"
LONGEST_S = {"sound": 0.25, "question": 0.04}
"""Within which time of a request's first byte the cable is pulled: as long as most take."""
STARTS_S = 120.0
"""After some failures the bridge leaves the hub alone for up to a minute."""


def main() -> int:
    """Print the figures; exit status 1 where a request got anything else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as name, ExitStack() as opened:
        folder = Path(name)
        key = prepared(folder, DOCUMENTS)
        url, _ = opened.enter_context(hub(folder, 1))
        cable = opened.enter_context(closing(Cable(urlsplit(url).port or 0)))
        config = _device(folder, key, cable.port)
        opened.enter_context(_bridge(folder / "device.toml"))
        wrong = _measure(config, cable, times)
    return int(wrong > 0)


def _measure(config: Config, cable: Cable, times: int) -> int:
    alone = msgspec.structs.replace(config, hub=HubSettings())
    ours = {kind: device(alone) for kind, device in (("sound", Ear), ("question", Mind))}
    with_hub = {kind: device(config) for kind, device in (("sound", Ear), ("question", Mind))}
    took_s: dict[str, list[float]] = {f"{kind}, {how}": [] for kind in ours for how in HOWS}
    wrong, draw, missed = 0, random.Random(1), 0
    kinds, hows = cycle(ours), cycle([HOWS[0], HOWS[0], HOWS[1], HOWS[1]])
    while (done := sum(map(len, took_s.values()))) < times:
        kind, how = next(kinds), next(hows)
        cable.plug_in()
        device = with_hub[kind]
        _wait(lambda device=device, number=done: device.ask(number).by_hub)  # type: ignore[misc]
        cable.pull_after(draw.uniform(0.0, LONGEST_S[kind]), how)
        began_s = time.perf_counter()
        told = device.ask(done)
        cable.pulled.wait()
        if cable.is_over:
            missed += 1  # the reply came before the cable was pulled
            continue
        took_s[f"{kind}, {how}"].append(time.perf_counter() - began_s)
        wrong += told != ours[kind].ask(done)
    for what, values in took_s.items():
        values.sort()
        shares = (f"{share:.0%} {1000 * percentile(values, share):.0f}" for share in (0.5, 0.95))
        _tell(f"{what}: {len(values)} times", f"{', '.join(shares)}, {1000 * values[-1]:.0f} ms")
    _tell("not as the device by itself", f"{wrong} of {times}")
    _tell("pulled too late, and not counted", str(missed))
    return wrong


HOWS = "lost", "reset"
WITHIN_S = 2.0
"""As hub and device share two cores, hearing a long command takes the hub over a second."""


class Told(msgspec.Struct, frozen=True):
    """What a device makes of a request; `by_hub` where it has that from the hub."""

    text: str
    by_hub: bool = False


class Ear:
    """Recognition, which hears the commands of the demo in turn."""

    def __init__(self, config: Config) -> None:
        self._stage: Stage = Composition(config, asks_hub=True).asr()
        self._sounds = [list(frames_of(file)) for file in sorted(RECORDINGS.glob("*.flac"))]

    def ask(self, number: int) -> Told:
        """What was said."""
        frames, name = self._sounds[number % len(self._sounds)], str(time.monotonic_ns())
        chunks = [
            AudioChunk(utterance_id=name, sequence=at, samples=frame)
            for at, frame in enumerate(frames)
        ]
        end = Utterance(
            utterance_id=name,
            revision=0,
            wake_word="computer",
            duration_s=1.0,
            speech_s=1.0,
            speech_ended_at_s=boottime_s(),
        )
        told = [one for message in (*chunks, end) for one in self._stage.feed(message)]
        (heard,) = [message for message in told if isinstance(message, Transcript)]
        return Told(heard.text, heard.engine == "hub")


class Mind:
    """Answers without documents of its own."""

    def __init__(self, config: Config) -> None:
        in_flight = InFlight(TokenScheduler(clock=boottime_s))
        self._stage: Stage = Composition(config, asks_hub=True).answer(in_flight=in_flight)

    def ask(self, number: int) -> Told:
        """What is answered."""
        question = Question(utterance_id=str(number), text=ASKED, at_s=boottime_s())
        told: list[Message] = list(self._stage.feed(question))
        while self._stage.deadline_s() is not None:
            told += self._stage.feed(Tick(at_s=boottime_s()))
        (reply,) = [message for message in told if isinstance(message, SpokenReply)]
        return Told(reply.text, KNOWN in reply.text)


class Cable:
    """Passes bytes on to a port of this machine, until it is pulled."""

    def __init__(self, port: int) -> None:
        self._there = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        self._is_in, self._how, self._after_s = True, "", 0.0
        self.pulled = threading.Event()
        self.is_over = False
        """Whether the reply had come when the cable was pulled."""
        threading.Thread(target=self._accept, daemon=True).start()

    def plug_in(self) -> None:
        """Connect what was connected anew, and pass everything on."""
        self._reset()
        self._is_in, self._how = True, ""

    def pull_after(self, seconds: float, how: str) -> None:
        """Pull it so long after the first byte of the next request."""
        self.pulled.clear()
        self.is_over, self._after_s, self._how = False, seconds, how

    def close(self) -> None:
        """Listen no more."""
        self._listening.close()
        self._reset()

    def _reset(self) -> None:
        while self._open:
            one = self._open.pop()
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _pull(self) -> None:
        self._is_in = False
        if self._how == "reset":
            self._reset()
        self.pulled.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                called, _ = self._listening.accept()
                if not self._is_in and self._how == "reset":
                    called.close()
                    continue
                there = socket.create_connection(("127.0.0.1", self._there))
                self._open += [called, there]
                for ends in ((called, there), (there, called)):
                    passing = (*ends, ends[0] is called)
                    threading.Thread(target=self._pass_on, args=passing, daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket, asks: bool) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                if asks and self._how and self._is_in and self._after_s >= 0:
                    threading.Timer(self._after_s, self._pull).start()
                    self._after_s = -1.0
                if not self._is_in:
                    continue  # lost
                other.sendall(data)
                if not asks and self._how:
                    self.is_over = True
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def _device(folder: Path, key: str, port: int) -> Config:
    """The settings of a device that asks the hub at the end of the cable for all."""
    (folder / "key").write_text(key, "utf-8")
    (folder / "key").chmod(0o600)
    storage = "".join(f'{name} = "{folder / "device" / name}"\n' for name in ("runtime", "cache"))
    own = f'[hub]\nurl = "http://127.0.0.1:{port}"\nkey_file = "{folder / "key"}"\nhears = "all"\n'
    own += f"within_s = {WITHIN_S}\n"
    state = f'state = "{folder / "device" / "state"}"\n'
    (folder / "device.toml").write_text(f"{own}[storage]\n{storage}{state}", "utf-8")
    return load_config((folder / "device.toml",))[0]


@contextmanager
def _bridge(settings: Path) -> Iterator[None]:
    command = (sys.executable, "-m", "assistant", "bridge", "--config", str(settings))
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(load_config((settings,))[0].network_socket.exists)
            yield
        finally:
            process.terminate()


def _wait(met: Callable[[], bool]) -> None:
    until_s = time.monotonic() + STARTS_S
    while not met():
        if time.monotonic() > until_s:
            raise SystemExit("the bridge, or the hub, does not reply")
        time.sleep(0.05)


def _tell(what: str, figure: str) -> None:
    sys.stdout.write(f"{what}: {figure}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
