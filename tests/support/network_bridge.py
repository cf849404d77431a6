"""A bridge as systemd runs it, and a skill in its own process that asks servers through it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assistant.bridge.network import hub, server
from assistant.cli.network.bridge import bridge
from assistant.core.layout import NETWORK_SOCKET
from assistant.skill import Context
from assistant.skill.testing import memory_context
from skills.capabilities.network import BridgeNetwork
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from tests.support.forks import forked
from tests.support.isolated_skills import written
from tests.support.mosquitto import PATIENCE_S
from tests.support.scenario import Daemon, command_line

SKILL = """
from assistant.skill import *

skill = Skill("recipes", api=1)

@skill.intent("Probe", "probe")
def probe(context: Context) -> Reply:
    {body}

@skill.intent("Behave", "behave")
def behave() -> Reply:
    return Reply("well")
"""


class Bridge:
    """A running `assistant bridge` with settings that grant the skill "recipes" something."""

    def __init__(
        self, folder: Path, granted: tuple[str, ...], things: ExitStack, more: str = ""
    ) -> None:
        self.runtime = folder / "run"
        self.settings, self._more = folder / "config.toml", more
        self.grant(*granted)
        self.log = folder / "log"
        self.process = forked(_serve, self.settings, self.log)
        things.callback(self.process.join)
        things.callback(self.process.kill)
        self._wait()

    def grant(self, *permissions: str) -> None:
        """Let the settings grant this and no more."""
        asked = ", ".join(f'"{one}"' for one in permissions)
        self.settings.write_text(
            f'[storage]\nruntime = "{self.runtime}"\n'
            f"[skills.grants]\nrecipes = [{asked}]\n{self._more}"
        )

    @property
    def socket(self) -> Path:
        """Where it serves the network."""
        return self.runtime / NETWORK_SOCKET

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as line:
            return line.connect_ex(str(self.socket)) == 0

    def _wait(self) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while not self._answers():
            assert self.process.is_alive()
            assert time.monotonic() < end_s
            time.sleep(0.02)


def _serve(settings: Path, log: Path) -> None:
    """As the command does, and with patience for those who ask on a busy machine."""
    server.HEARD_WITHIN_S = hub.IDLE_S = hub.CHECKED_WITHIN_S = PATIENCE_S
    with log.open("w") as file:
        os.dup2(file.fileno(), 2)
    bridge(settings)


def loaded(
    folder: Path, things: ExitStack, permissions: tuple[str, ...], body: str
) -> IsolatedSkill:
    """The skill "recipes" with a function that does this."""
    host = Host({"recipes": permissions})
    things.callback(host.close)
    return host.load(written(folder, "recipes", SKILL.format(body=body), permissions))


def with_network(socket: Path | None) -> Context:
    """A context in memory, with the network of a bridge."""
    return memory_context(network=BridgeNetwork(socket, "recipes"))


class EndableBridge:
    """The bridge of a daemon, which ends when the story says so, or at the end of `things`."""

    def __init__(self, daemon: Daemon, log: Path, things: ExitStack) -> None:
        with log.open("w") as file:
            command = command_line("bridge", "--config", str(daemon.config))
            self._process = subprocess.Popen(command, stderr=file)
        things.callback(self.end)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let it do nothing meanwhile."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def end(self, _: Daemon | None = None) -> None:
        """End it; once more does nothing."""
        self._process.terminate()
        assert self._process.wait(PATIENCE_S) == 0
