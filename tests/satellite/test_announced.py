"""`assistant satellite --announce` in a network of its own: a base finds it, wherever it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.own_network import may_be_made, run_within

SCRIPT = """
import asyncio, json, signal, subprocess, sys, time
from assistant.core.errors import RoomsError
from assistant.core.settings.wyoming import SatelliteSettings
from assistant.rooms.discovery.finding import Finder
from tests.support.own_network import interface, set_address
from tests.support.scenario import command_line

def found_at(address):
    end_s = time.monotonic() + 60
    while time.monotonic() < end_s:
        try:
            place = asyncio.run(Finder().where("kitchen", SatelliteSettings()))
        except RoomsError:
            continue
        if place[0] == address:
            return place
    raise TimeoutError

command = command_line(
    "satellite", "--base", "192.168.77.1", "--name", "kitchen", "--announce", "--port", "0",
    "--config", sys.argv[1],
)
with interface("lan0", "192.168.77.1"), subprocess.Popen(command) as satellite:
    first = found_at("192.168.77.1")
    set_address("lan0", "192.168.77.9")
    then = found_at("192.168.77.9")
    satellite.send_signal(signal.SIGTERM)
print(json.dumps([first, then, satellite.returncode]))
"""


@pytest.mark.depth
@pytest.mark.skipif(not may_be_made(), reason="no network of one's own can be made here")
def test_a_satellite_is_found_where_it_is_and_ends_in_order(tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"
    sound = f'input = "fifo:{tmp_path}/microphone"\noutput = "folder:{tmp_path}/sound"'
    settings.write_text(f"[audio]\n{sound}\n", "utf-8")
    first, then, status = json.loads(run_within(SCRIPT, str(settings)))
    assert first[1] == then[1] != 0
    assert (first[0], then[0], status) == ("192.168.77.1", "192.168.77.9", 0)
