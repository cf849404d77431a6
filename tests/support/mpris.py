"""A session's bus of its own, and small players on it, which speak MPRIS as far as is asked."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection

PATIENCE_S = 60.0
OBJECT = "/org/mpris/MediaPlayer2"
INTERFACE = "org.mpris.MediaPlayer2.Player"
PROPERTIES = DBusAddress(OBJECT, interface="org.freedesktop.DBus.Properties")
CONFIG = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class SessionBus:
    """A real `dbus-daemon`, which can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "bus"
        self.address = f"unix:path={self.socket}"
        self._config = folder / "bus.conf"
        self._config.write_text(CONFIG.format(socket=self.socket), "utf-8")
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        command = ["dbus-daemon", f"--config-file={self._config}", "--nofork", "--print-address"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline().startswith("unix:")

    def stop(self) -> None:
        """End it, and every connection to it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE_S)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None
        self.socket.unlink(missing_ok=True)

    close = stop


def in_session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> SessionBus:
    """A bus that runs, as that of this process's session."""
    bus = SessionBus(folder)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
    bus.start()
    return bus


class Player:
    """A player on the bus; `did` holds each call that reached it, and each property that was set.

    With `silent` it answers nothing, with `refuses` an error.
    """

    def __init__(self, bus: SessionBus, name: str, **properties: Any) -> None:
        self.properties: dict[str, tuple[str, Any]] = {
            "PlaybackStatus": ("s", "Stopped"),
            "Volume": ("d", 0.5),
            "Shuffle": ("b", False),
            "Metadata": ("a{sv}", {}),
        }
        self.properties |= properties
        self.did: list[tuple[Any, ...]] = []
        self.silent = self.refuses = False
        self.answers: tuple[str, tuple[Any, ...]] | None = None
        """Signature and body that it tells in place of its properties."""
        self._line: DBusConnection = open_dbus_connection(bus.address)
        asked = message_bus.RequestName(f"org.mpris.MediaPlayer2.{name}")
        self._line.send_and_get_reply(asked, timeout=PATIENCE_S)
        self._sending = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._answer, daemon=True)
        self._thread.start()

    def by_hand(self, **properties: tuple[str, Any]) -> None:
        """Change as its user would, and tell of it."""
        self.properties |= properties
        body = (INTERFACE, properties, [])
        self._send(new_signal(PROPERTIES, "PropertiesChanged", "sa{sv}as", body))

    def plays(self, title: str, *artists: str) -> None:
        """Play something."""
        metadata = {"xesam:title": ("s", title), "xesam:artist": ("as", list(artists))}
        self.by_hand(PlaybackStatus=("s", "Playing"), Metadata=("a{sv}", metadata))

    def close(self) -> None:
        """Leave the bus."""
        self._ended.set()
        self._thread.join(PATIENCE_S)
        self._line.close()

    def _answer(self) -> None:
        while not self._ended.is_set():
            try:
                message = self._line.receive(timeout=0.05)
            except TimeoutError:
                continue
            except OSError:
                return
            if message.header.message_type is MessageType.method_call and not self.silent:
                self._send(self._answered(message))

    def _answered(self, message: Message) -> Message:
        if self.refuses:
            return new_error(message, "org.freedesktop.DBus.Error.Failed", "s", ("not now",))
        method = message.header.fields[HeaderFields.member]
        match method, message.body:
            case "GetAll", _ if self.answers is not None:
                return new_method_return(message, *self.answers)
            case "GetAll", _:
                return new_method_return(message, "a{sv}", (self.properties,))
            case "Set", (_, name, value):
                self.did.append((name, value[1]))
                self.by_hand(**{name: value})
            case "Play" | "Pause" | "Stop", _:
                self.did.append((method,))
                state = {"Play": "Playing", "Pause": "Paused", "Stop": "Stopped"}[method]
                self.by_hand(PlaybackStatus=("s", state))
            case _:
                self.did.append((method, *message.body))
        return new_method_return(message)

    def _send(self, message: Message) -> None:
        with self._sending:
            self._line.send(message)
