"""`assistant hub`: what it refuses, and the whole of it with real stages and two tenants."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest

from assistant.hub.tenants import hash_of
from tests.support.commands import run_assistant
from tests.support.network import free_port

HAS_EXTRA = all(importlib.util.find_spec(name) for name in ("fastapi", "ray", "uvicorn"))
KEYS = {"red": "the red key", "blue": "the blue key", "green": "the green key"}
CHANGED_S = 240.0
"""Longest that the workers of three stages take to be replaced on a busy machine."""
HOME = """
areas: [{{name: Hall, id: hall}}]
entities: [{{name: {name}, id: light.only, area: hall, state: "off"}}]
"""


def refused(*arguments: str | Path) -> str:
    done = run_assistant("hub", *arguments)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    return line


def test_a_key_is_shown_once_with_the_line_that_keeps_its_hash() -> None:
    shown = run_assistant("hub", "key", "seaside", check=True).stdout
    first, second = shown.splitlines()
    assert hash_of(first.rsplit(" ", 1)[1]) in second
    assert "[seaside]" in second


def test_it_lets_nobody_in_from_elsewhere_without_keys_and_encryption(tmp_path: Path) -> None:
    assert "give --tenants, and --cert with --key" in refused("--host", "0.0.0.0")
    assert "--cert and --key go together" in refused("--cert", tmp_path / "a.pem")
    assert "takes an address" in refused("--host", "example.org")
    assert "No such file" in refused("--tenants", tmp_path / "none.toml")


def test_its_own_ray_takes_orders_from_nobody_without_a_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    assert "a hub's own Ray wants a token" in refused()


def test_there_may_not_be_fewer_workers_at_most_than_at_least() -> None:
    assert "may not be less than --replicas" in refused("--replicas", "3", "--most-replicas", "2")


def test_a_trial_needs_enough_requests_to_compare() -> None:
    told = refused("--try-share", "0.1", "--try-requests", "599")
    assert told.endswith(
        "with a share of 0.1 at least 600 requests must be compared: --try-requests 600"
    )
    assert "at least 600" in refused("--try-share", "0.9", "--try-requests", "599")


@pytest.mark.skipif(HAS_EXTRA, reason="the extra hub is installed")
def test_without_its_extra_it_names_the_remedy() -> None:
    assert "pip install 'hark-assistant[hub]'" in refused()


def tenants(*names: str) -> str:
    """The file of those tenants."""
    return "\n".join(
        f'[{name}]\nkey = "{hash_of(KEYS[name])}"\nhome = "{name}.yaml"\ndocuments = "{name}"'
        for name in names
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub")
    for name in KEYS:
        (folder / f"{name}.yaml").write_text(HOME.format(name=f"{name} Lantern"), "utf-8")
        (folder / name).mkdir()
        fact = f"The caretaker of the {name} house is called {name.title()}beard."
        (folder / name / "house.md").write_text(f"# House\n\n{fact}\n", "utf-8")
    (folder / "tenants.toml").write_text(tenants("red", "blue"), "utf-8")
    (folder / "config.toml").write_text("[traces]\nkeep = true\n", "utf-8")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-subj", "/CN=hub", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", folder / "key.pem", "-out", folder / "cert.pem"),
        ],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def rpc_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def hub(folder: Path, rpc_port: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    if not HAS_EXTRA:
        pytest.skip("the extra hub is not installed")
    options = ("--port", "0", "--tenants", "tenants.toml", "--cert", "cert.pem", "--key", "key.pem")
    rpc = ("--grpc-port", str(rpc_port), "--config", "config.toml")
    command = (sys.executable, "-m", "assistant", "hub", *options, *rpc)
    folders = {f"{name}_DIRECTORY": str(folder / name) for name in ("STATE", "CACHE")}
    path = os.pathsep.join(sys.path)
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | folders | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as hub,
    ):
        assert hub.stdout is not None
        first = hub.stdout.readline()
        assert "serves at https://127.0.0.1:" in first
        assert f"serves at 127.0.0.1:{rpc_port} (gRPC)" in hub.stdout.readline()
        yield first.split()[-1], hub
        hub.send_signal(signal.SIGTERM)
        assert hub.wait(30) == 0


@pytest.fixture(scope="module")
def url(hub: tuple[str, subprocess.Popen[str]]) -> str:
    return hub[0]


def ask(
    folder: Path, url: str, call: str, tenant: str, text: str, **headers: str
) -> dict[str, object]:
    given = {"Authorization": f"Bearer {KEYS[tenant]}", "Content-Type": "application/json"}
    body = json.dumps({"text": text}).encode()
    request = urllib.request.Request(f"{url}/v1/{call}", body, given | headers)
    trusted = ssl.create_default_context(cafile=folder / "cert.pem")
    with urllib.request.urlopen(request, timeout=60, context=trusted) as reply:
        told: dict[str, object] = json.load(reply)
        return told


def test_each_tenant_has_its_own_home(folder: Path, url: str) -> None:
    for tenant, other in (("red", "blue"), ("blue", "red")):
        own = ask(folder, url, "interpret", tenant, f"turn on the {tenant} lantern")
        assert f"{tenant} Lantern" in json.dumps(own["commands"])
        strange = ask(folder, url, "interpret", tenant, f"turn on the {other} lantern")
        assert f"{other} Lantern" not in json.dumps(strange["commands"])


def test_each_tenant_is_answered_from_its_own_documents(folder: Path, url: str) -> None:
    for tenant, other in (("red", "Blue"), ("blue", "Red")):
        told = ask(
            folder, url, "answer", tenant, f"what is the caretaker of the {tenant} house called"
        )
        assert f"{tenant.title()}beard" in str(told["text"])
        foreign = f"what is the caretaker of the {other.lower()} house called"
        assert f"{other}beard" not in str(ask(folder, url, "answer", tenant, foreign)["text"])


def test_a_call_is_traced_with_what_it_waited_for(folder: Path, url: str) -> None:
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    caller = f"00-{trace_id}-00f067aa0ba902b7-01"
    ask(folder, url, "interpret", "red", "turn on the red lantern", traceparent=caller)
    rows = run_assistant(
        *("trace", "show", trace_id, "--hub", "--json"),
        env=os.environ | {"STATE_DIRECTORY": str(folder / "STATE")},
        check=True,
    ).stdout
    shown = [json.loads(row) for row in rows.splitlines()]
    assert [(row["name"], row["depth"]) for row in shown] == [
        ("/v1/interpret", 0),
        ("understanding", 1),
        ("queue", 2),
    ]
    whole, stage, queue = (row["ms"] for row in shown)
    assert queue <= stage <= whole
    assert "lantern" not in rows.lower()


@pytest.mark.usefixtures("url")
def test_it_is_asked_over_grpc_too(folder: Path, rpc_port: int) -> None:
    import grpc

    from assistant.hub.rpc.messages import CLASSES

    credentials = grpc.ssl_channel_credentials((folder / "cert.pem").read_bytes())
    with grpc.secure_channel(f"127.0.0.1:{rpc_port}", credentials) as channel:
        call = channel.unary_unary(
            "/hark.hub.v1.Hub/Interpret",
            CLASSES["TextRequest"].SerializeToString,
            CLASSES["InterpretReply"].FromString,
        )
        meant = call(
            CLASSES["TextRequest"](text="turn on the red lantern"),
            metadata=(("authorization", f"Bearer {KEYS['red']}"),),
            timeout=60,
            wait_for_ready=True,
        )
    assert [command.intent for command in meant.commands] == ["HassTurnOn"]


def test_tenants_change_while_it_serves(
    folder: Path, hub: tuple[str, subprocess.Popen[str]]
) -> None:
    (url, process), file = hub, folder / "tenants.toml"
    assert process.stdout is not None
    file.write_text(tenants("red", "green") + "\n[blue]\n", "utf-8")
    process.send_signal(signal.SIGHUP)
    end_s = time.monotonic() + CHANGED_S
    while not (lines := (folder / "log").read_text("utf-8").splitlines()):
        assert time.monotonic() < end_s
        time.sleep(0.1)
    (line,) = lines
    assert "[blue]: it has no key" in line
    assert line.endswith("(hub.tenants)")
    assert ask(folder, url, "interpret", "blue", "what time is it")["commands"]
    file.write_text(tenants("red", "green"), "utf-8")
    process.send_signal(signal.SIGHUP)
    assert process.stdout.readline() == "hub: new workers serve red, green\n"
    with pytest.raises(HTTPError, match="401"):
        ask(folder, url, "interpret", "blue", "what time is it")
    told = ask(folder, url, "interpret", "green", "turn on the green lantern")
    assert "green Lantern" in json.dumps(told["commands"])


def test_a_port_that_is_taken_is_told_before_anything_starts() -> None:
    if not HAS_EXTRA:
        pytest.skip("the extra hub is not installed")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen at 127.0.0.1 port {port}" in refused("--port", str(port))
        told = refused("--port", "0", "--grpc-port", str(port))
        assert f"cannot listen at 127.0.0.1 port {port}" in told
    same = str(free_port())
    assert f"port {same}" in refused("--port", same, "--grpc-port", same)
