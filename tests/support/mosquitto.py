"""A real broker on loopback, with a lamp on it."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.support.network import free_port

PATIENCE_S = 60.0
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
MOSQUITTO = shutil.which("mosquitto", path=PATH)
MOSQUITTO_PASSWD = shutil.which("mosquitto_passwd", path=PATH)


class Mosquitto:
    """A broker on a port of its own that can be stopped and started again."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.port = free_port()
        self._file = folder / "mosquitto.conf"
        lines = (f"listener {self.port} 127.0.0.1", "user root", *settings)
        self._file.write_text("\n".join(lines) + "\n", "utf-8")
        self._running = ExitStack()

    def start(self) -> None:
        """Run it; it is there when this returns."""
        command = (MOSQUITTO or "mosquitto", "-c", str(self._file))
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self._running.enter_context(process)
        self._running.callback(process.kill)
        assert process.stderr is not None
        if not any(line.rstrip().endswith("running") for line in process.stderr):
            pytest.fail("mosquitto did not start")
        drain = threading.Thread(target=process.stderr.read)
        drain.start()
        self._running.callback(drain.join)
        self._running.callback(process.kill)
        self._process = process

    def pause(self) -> None:
        """Let it accept what comes and answer nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End it at once."""
        self._running.close()


@contextlib.contextmanager
def running_broker(folder: Path, *settings: str) -> Iterator[Mosquitto]:
    """A broker that lets everybody in."""
    broker = Mosquitto(folder, "allow_anonymous true", *settings)
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


class Lamp:
    """A device on the broker: keeps what it is told on `topic`, and tells what it is told to."""

    def __init__(self, port: int, authority: Path | None = None, topic: str = "hark/#") -> None:
        self.heard: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
        subscribed = threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_subscribe = lambda *_: subscribed.set()
        self._client.on_message = self._take
        if authority:
            self._client.tls_set(str(authority))
        self._client.connect("127.0.0.1", port)
        self._client.subscribe(topic, qos=1)
        self._client.loop_start()
        assert subscribed.wait(PATIENCE_S)

    def tell(self, topic: str, payload: bytes, *, retain: bool = True) -> None:
        """Publish, and wait until the broker has it."""
        self._client.publish(topic, payload, 1, retain).wait_for_publish(PATIENCE_S)

    def throw(self, topic: str, payload: bytes) -> None:
        """Publish without waiting."""
        self._client.publish(topic, payload, 0)

    def hears(self, topic: str) -> tuple[bytes, bool]:
        """The next payload on `topic`, and whether it was retained."""
        while True:
            heard, payload, retained = self.heard.get(timeout=PATIENCE_S)
            if heard == topic:
                return payload, retained

    def close(self) -> None:
        """Leave the broker."""
        self._client.disconnect()
        self._client.loop_stop()

    def _take(self, _: Client, __: object, message: MQTTMessage) -> None:
        self.heard.put((message.topic, bytes(message.payload), message.retain))


class FakeBroker:
    """Answers the first packet of each client with `answer`, and only hears those that follow."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self.heard: queue.Queue[bytes] = queue.Queue()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> FakeBroker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                with client:
                    client.recv(4096)
                    client.sendall(self._answer)
                    while heard := client.recv(4096):
                        self.heard.put(heard)
