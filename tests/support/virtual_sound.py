"""A sound card made of software, for tests: a private PulseAudio, its own in every test.

Two null sinks: what is played into `mouth` comes out of the microphone, and what the assistant
plays goes into `loudspeaker`, whose monitor can be recorded. Further ones can be plugged in, and
the server can die. Works as root, in containers and without a network.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

NEEDED = ("pulseaudio", "pactl", "paplay", "parec")
MICROPHONE = "microphone"
STARTUP_S = 60.0

SINK = ("rate=48000", "channels=2", "norewinds=1")

ASOUNDRC = """
pcm.!default { type pulse }
ctl.!default { type pulse }
"""

SETUP = f"""
load-module module-native-protocol-unix auth-anonymous=1 socket={{socket}}
load-module module-cli-protocol-unix socket={{commands}}
load-module module-null-sink sink_name=mouth {" ".join(SINK)}
load-module module-null-sink sink_name=loudspeaker {" ".join(SINK)}
load-module module-remap-source source_name={MICROPHONE} master=mouth.monitor
set-default-sink loudspeaker
set-default-source {MICROPHONE}
"""


class VirtualSound:
    """The sound card; give `environment` to the processes that shall have it.

    `devices` are further devices that ALSA lists, by what `.asoundrc` says of them.
    """

    def __init__(self, folder: Path, devices: Mapping[str, str]) -> None:
        self._folder = folder
        self._socket = folder / "pulse.sock"
        further = "".join(f"pcm.{name} {{ {body} }}\n" for name, body in devices.items())
        (folder / ".asoundrc").write_text(ASOUNDRC + further)
        setup = folder / "setup.pa"
        self._commands = folder / "commands.sock"
        setup.write_text(SETUP.format(socket=self._socket, commands=self._commands))
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "PULSE_SERVER": f"unix:{self._socket}",
            "PULSE_RUNTIME_PATH": str(folder / "pulse"),
            # Named, so that without a microphone nothing else is recorded in its place.
            "PULSE_SOURCE": MICROPHONE,
            "PULSE_SINK": "loudspeaker",
        }
        for variable in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "PULSE_COOKIE"):
            self.environment.pop(variable, None)
        self._server_command = [
            "pulseaudio",
            "-n",
            f"--file={setup}",
            "--daemonize=no",
            "--use-pid-file=no",
            "--exit-idle-time=-1",
            "--disable-shm=yes",
            "--realtime=no",
            "--high-priority=no",
            "--log-level=error",
            f"--log-target=file:{folder / 'pulse.log'}",
        ]
        self.start_server()

    def start_server(self) -> None:
        """Start the sound server; returns when it can be used."""
        self._server = subprocess.Popen(
            self._server_command,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._await_server()

    def kill_server(self) -> None:
        """The sound server dies, with every stream and what had been plugged in."""
        self._server.kill()
        self._server.wait()
        for left in (self._socket, self._commands):
            left.unlink(missing_ok=True)

    def speak(self, wav: Path, microphone: str = MICROPHONE) -> None:
        """Play a recording into a microphone; returns when it has been played."""
        self._run("paplay", f"--device={_mouth(microphone)}", str(wav))

    @contextmanager
    def recording(self, wav: Path) -> Iterator[None]:
        """Record what comes out of the loudspeaker, 16 kHz mono, while the block runs."""
        recorder = subprocess.Popen(
            [
                "parec",
                "--device=loudspeaker.monitor",
                "--rate=16000",
                "--channels=1",
                "--format=s16le",
                "--file-format=wav",
                "--latency-msec=50",
                str(wav),
            ],
            env=self.environment,
        )
        try:
            yield
        finally:
            time.sleep(0.3)  # what was just played is still on its way to the recorder
            recorder.send_signal(signal.SIGINT)
            recorder.wait(timeout=60)

    def unplug_microphone(self, microphone: str = MICROPHONE) -> None:
        """The microphone goes away, and what records from it with it."""
        recorders = self.recorders(microphone)
        self._run("pactl", "unload-module", self._index("modules", f"source_name={microphone} "))
        # PulseAudio moves them to another source; of a real sound card nothing would be left.
        with socket.socket(socket.AF_UNIX) as console:
            console.connect(str(self._commands))
            for recorder in recorders:
                console.sendall(f"kill-source-output {recorder}\n".encode())
            console.shutdown(socket.SHUT_WR)
            while console.recv(4096):
                pass

    def recorders(self, microphone: str = MICROPHONE) -> list[str]:
        """The streams that record from a microphone now, by the server's numbers."""
        source = self._index("sources", f"\t{microphone}\t")
        outputs = (line.split() for line in self._list("source-outputs"))
        return [fields[0] for fields in outputs if fields[1] == source]

    def plug_microphone(self, microphone: str = MICROPHONE) -> None:
        """The microphone comes back, or another is plugged in."""
        mouth = _mouth(microphone)
        if not any(mouth in line.split() for line in self._list("sinks")):
            self._run("pactl", "load-module", "module-null-sink", f"sink_name={mouth}", *SINK)
        self._run(
            "pactl",
            "load-module",
            "module-remap-source",
            f"source_name={microphone}",
            f"master={mouth}.monitor",
        )
        if microphone == MICROPHONE:
            self._run("pactl", "set-default-source", MICROPHONE)

    @contextmanager
    def echoing(self, volume: str = "0dB") -> Iterator[None]:
        """The microphone hears the loudspeaker, as in a room, while the block runs."""
        arguments = ("source=loudspeaker.monitor", "sink=mouth", "latency_msec=50")
        self._run("pactl", "load-module", "module-loopback", *arguments)
        echo = next(line for line in self._list("sink-inputs") if "module-loopback" in line)
        self._run("pactl", "set-sink-input-volume", echo.split()[0], volume)
        try:
            yield
        finally:
            self._run("pactl", "unload-module", "module-loopback")

    def close(self) -> None:
        """Switch it off."""
        self._server.terminate()
        try:
            self._server.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()

    def _run(self, *command: str) -> None:
        subprocess.run(
            command, env=self.environment, check=True, stdout=subprocess.DEVNULL, timeout=120
        )

    def _index(self, what: str, name: str) -> str:
        return next(line.split()[0] for line in self._list(what) if name in line)

    def _list(self, what: str) -> list[str]:
        answer = subprocess.run(
            ["pactl", "list", "short", what], env=self.environment, capture_output=True, text=True
        )
        return answer.stdout.splitlines()

    def _await_server(self) -> None:
        deadline_s = time.monotonic() + STARTUP_S
        while time.monotonic() < deadline_s and self._server.poll() is None:
            if any(MICROPHONE in line for line in self._list("sources")):
                return
            time.sleep(0.05)
        self.close()
        log = self._folder / "pulse.log"
        raise RuntimeError(f"no virtual sound card: {log.read_text() if log.exists() else ''}")


def _mouth(microphone: str) -> str:
    """The sink of which the sound comes out of a microphone."""
    return "mouth" if microphone == MICROPHONE else f"{microphone}-mouth"


@contextmanager
def virtual_sound(devices: Mapping[str, str] | None = None) -> Iterator[VirtualSound]:
    """A sound card for as long as the block runs; skips the test where PulseAudio is missing."""
    missing = [program for program in NEEDED if shutil.which(program) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)} here: install pulseaudio and pulseaudio-utils")
    # Not below pytest's own folder: a socket's path has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="sound-") as folder:
        sound = VirtualSound(Path(folder), devices or {})
        try:
            yield sound
        finally:
            sound.close()
