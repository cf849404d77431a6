"""A real Home Assistant with its demonstration devices: installed, started, and given an owner."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import typer
from websockets.sync.client import ClientConnection, connect

RELEASE = "homeassistant==2025.4.4"
NEEDED = ("home-assistant-frontend", "hassil", "home-assistant-intents", "mutagen", "pymicro-vad")
NEEDED += ("pyspeex-noise", "ha-ffmpeg", "PyTurboJPEG")
"""What the demonstration needs besides, which Home Assistant itself would install as it starts."""
INTEGRATIONS = ("feedparser", "wyoming==1.5.4")
"""What its integrations Feedreader, in any release, and Wyoming need."""
PORT = 8133
URL = f"http://127.0.0.1:{PORT}"
CONFIGURATION = f"""\
homeassistant:
  name: Home
  internal_url: "{URL}"
api:
auth:
config:
demo:
http:
  server_host: 127.0.0.1
  server_port: {PORT}
onboarding:
websocket_api:
"""
WEATHER = "weather.demo_weather_south"
LIST = "todo.shopping_list"
NEWS, HEADLINE = "event.village_news", "The ferry sails again"
RSS = f"""\
<rss version="2.0"><channel><title>Village News</title><link>http://localhost/</link>
<description>What happens here.</description>
<item><title>{HEADLINE}</title><description>From Monday on.</description></item>
</channel></rss>
"""
STARTS_S, ANSWERS_S = 120.0, 30.0


def installed(folder: Path) -> Path | None:
    """The command of a Home Assistant in `folder`; None, and why, where it cannot be installed."""
    # Before the shim of that name, which is there for versions that are not chosen, too.
    own = sorted(map(str, Path.home().glob(".pyenv/versions/3.13.*/bin/python")))
    python = next(iter(own), None) or shutil.which("python3.13")
    hass = folder / "venv/bin/hass"
    if not hass.exists():
        if python is None:
            typer.echo("skipped: there is no Python 3.13, which Home Assistant needs")
            return None
        subprocess.run((python, "-m", "venv", str(folder / "venv")), check=True)
        if not (
            with_packages(hass, RELEASE) and with_packages(hass, *INTEGRATIONS, *_pinned(folder))
        ):
            shutil.rmtree(folder / "venv")
            typer.echo(f"skipped: {RELEASE} cannot be installed here")
            return None
    return hass


def with_packages(hass: Path, *packages: str) -> bool:
    """Add packages to the environment of that command; whether it can be done."""
    uv, python = Path(sys.executable).with_name("uv"), hass.with_name("python")
    command = (uv, "pip", "install", "--quiet", "--python", python, *packages)
    return subprocess.run(command).returncode == 0


def _pinned(folder: Path) -> list[str]:
    """What is needed besides, in the releases that Home Assistant wants."""
    (pins,) = folder.glob("venv/lib/python3.*/site-packages/homeassistant/package_constraints.txt")
    lines = pins.read_text("utf-8").splitlines()
    return [line for line in lines if line.partition("==")[0] in NEEDED]


@contextmanager
def running(hass: Path, config: Path) -> Iterator[None]:
    """Have it run, with its log in the folder of its configuration."""
    command = (str(hass), "--config", str(config), "--skip-pip")
    with (config / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _until_it_answers(process)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _until_it_answers(process: subprocess.Popen[bytes]) -> None:
    until_s = time.monotonic() + STARTS_S
    while time.monotonic() < until_s and process.poll() is None:
        try:
            httpx2.get(f"{URL}/api/onboarding")
            return
        except httpx2.HTTPError:
            time.sleep(0.5)
    raise SystemExit("Home Assistant does not start; see config/log")


def new_token() -> str:
    """A long-lived access token of a new account."""
    client = f"{URL}/"
    account = {"name": "Owner", "username": "owner", "password": "owner", "language": "en"}
    code = posted("/api/onboarding/users", json={**account, "client_id": client})["auth_code"]
    grant = {"grant_type": "authorization_code", "code": code, "client_id": client}
    access = posted("/auth/token", data=grant)["access_token"]
    with connected(access) as line:
        wanted = {"client_name": "Hark", "lifespan": 365}
        line.send(json.dumps({"id": 1, "type": "auth/long_lived_access_token", **wanted}))
        return str(json.loads(line.recv())["result"])


@contextmanager
def connected(token: str) -> Iterator[ClientConnection]:
    """Its WebSocket, once it lets the owner of a token in."""
    with connect(f"ws://127.0.0.1:{PORT}/api/websocket", proxy=None) as line:
        line.recv()
        line.send(json.dumps({"type": "auth", "access_token": token}))
        line.recv()
        yield line


def prepare(token: str, feed: str) -> None:
    """Set up a list and a feed, and show weather and feed to voice assistants, as an owner does."""
    flows = "/api/config/config_entries/flow"
    proof = {"Authorization": f"Bearer {token}"}
    flow = posted(flows, headers=proof, json={"handler": "shopping_list"})["flow_id"]
    posted(f"{flows}/{flow}", headers=proof, json={})
    with connected(token) as line:
        flow = posted(flows, headers=proof, json={"handler": "feedreader"})["flow_id"]
        posted(f"{flows}/{flow}", headers=proof, json={"url": feed})
        shown = {
            "assistants": ["conversation"],
            "entity_ids": [WEATHER, NEWS],
            "should_expose": True,
        }
        line.send(json.dumps({"id": 1, "type": "homeassistant/expose_entity", **shown}))
        line.recv()


@contextmanager
def news_feed() -> Iterator[str]:
    """A feed of news on loopback; its address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/rss+xml")
            self.end_headers()
            self.wfile.write(RSS.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/feed"
        finally:
            server.shutdown()
            thread.join()


def posted(path: str, **content: Any) -> dict[str, Any]:
    """What Home Assistant answers to a POST; raises `httpx2.HTTPStatusError` where it refuses."""
    answer = httpx2.post(f"{URL}{path}", timeout=ANSWERS_S, **content).raise_for_status()
    found: dict[str, Any] = answer.json()
    return found
