"""Check that a real Home Assistant finds Hark's services and a satellite by multicast DNS.

    python -m benchmarks.real_discovery [FOLDER]

All run in a network of their own, whose one interface stands for the local network. The services
have a stand-in for the daemon; `assistant satellite` has a FIFO for a microphone. Home Assistant is
asked what it has discovered, and adds it, as an owner does who confirms.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path
from typing import Any

import typer

from assistant.core.settings.wyoming import WyomingSettings
from benchmarks.home_assistant_demo import (
    ANSWERS_S,
    CONFIGURATION,
    connected,
    installed,
    new_token,
    posted,
    running,
)
from benchmarks.real_wyoming import told
from tests.support.network import raise_loopback
from tests.support.own_network import interface, may_be_made, run_within
from tests.support.scenario import command_line
from tests.support.stand_in_daemon import StandIn

HERE, NETWORK = "192.168.77.1", "192.168.77.0/24"
SERVICES, SATELLITE = "Hark", "kitchen"


def main() -> int:
    """Print one line for each check; status 1 when one fails."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/home-assistant").absolute()
    hass = installed(folder)
    if hass is None:
        return 0
    if not may_be_made():
        typer.echo("skipped: no network of one's own can be made here")
        return 0
    within = "import sys; from benchmarks import real_discovery as it; it.within(*sys.argv[1:])"
    *lines, failed = run_within(within, str(hass), str(folder)).splitlines()
    for line in lines:
        typer.echo(line)
    return int(failed != "0")


def within(hass: str, folder: str) -> None:
    """Check it in a network of its own, and print how many checks failed."""
    raise_loopback()
    with tempfile.TemporaryDirectory() as name, ExitStack() as things:
        config = Path(name)
        (config / "configuration.yaml").write_text(f"{CONFIGURATION}zeroconf:\n", "utf-8")
        things.enter_context(interface("lan0", HERE))
        subprocess.run(("ip", "route", "add", "default", "dev", "lan0"), check=True)
        things.callback(shutil.copy, config / "log", Path(folder) / "discovery.log")
        satellite(config, things)
        services = WyomingSettings(allow=(NETWORK,), announce=True)
        things.enter_context(closing(StandIn(services)))
        things.enter_context(running(Path(hass), config))
        typer.echo(checked(new_token()))


def satellite(folder: Path, things: ExitStack) -> None:
    """Start a satellite that announces itself."""
    settings = folder / "satellite.toml"
    sound = f'input = "fifo:{folder}/microphone"\noutput = "folder:{folder}/replies"'
    settings.write_text(f"[audio]\n{sound}\n", "utf-8")
    whose = ("--base", HERE, "--name", SATELLITE, "--announce", "--config", str(settings))
    process = subprocess.Popen(command_line("satellite", *whose), stderr=subprocess.DEVNULL)
    things.callback(process.wait, 10)
    things.callback(process.terminate)


def checked(token: str) -> int:
    """How many of the two Home Assistant does not discover, or cannot add."""
    began_s, numbers, failed = time.monotonic(), count(1), 0
    found: dict[str, dict[str, Any]] = {}
    with connected(token) as line:
        while found.keys() < {SERVICES, SATELLITE} and time.monotonic() - began_s < ANSWERS_S:
            line.send(json.dumps({"id": next(numbers), "type": "config_entries/flow/progress"}))
            for flow in json.loads(line.recv())["result"]:
                if flow["context"]["source"] == "zeroconf":
                    found[flow["context"]["title_placeholders"]["name"]] = flow
            time.sleep(0.2)
    proof = {"Authorization": f"Bearer {token}"}
    for name in (SERVICES, SATELLITE):
        failed += told(f"discovered: {name}", name in found)
        if name in found:
            path = f"/api/config/config_entries/flow/{found[name]['flow_id']}"
            made = posted(path, headers=proof, json={})
            failed += told(f"added: {made.get('title')}", made.get("type") == "create_entry")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
