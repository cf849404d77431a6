"""The hub on this machine: `python -m benchmarks.hub.service [--replicas N] [--kills N]`.

It starts `assistant hub` for one tenant with fifty rooms, a lamp in each, and asks by HTTP as rooms
do. What a call adds is its median less that of the same texts in the stage of this process. Fifty
rooms ask at one moment, again and again. Then a worker of understanding is killed while fifty
calls are under way: each must be answered, and with its own lamp. At last gRPC is asked the same.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc

from assistant.composition import Composition
from assistant.control.metrics import percentile
from assistant.core.config import load_config
from assistant.core.messages import Transcript
from assistant.hub.rpc.messages import CLASSES
from assistant.hub.stages import config_of
from assistant.hub.tenants import hash_of, load_tenants, new_key
from benchmarks.hostile.wyoming.process import free_port

ROOMS = 50
CALLS = 400
BURSTS = 20
RESTARTS_S = 90.0
KILLED_AFTER_S = 0.03
"""Time from the first of fifty calls on, of which the last takes some tenths of a second."""


def main() -> int:
    """Measure, and print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--kills", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        key = prepared(Path(folder))
        for is_first in (True, False):
            began_s = time.monotonic()
            rpc_port = free_port()
            with hub(Path(folder), asked.replicas, rpc_port) as (url, process):
                start = "the first start" if is_first else "a start with what that one fitted"
                _tell(start, f"{time.monotonic() - began_s:.1f} s")
                if not is_first:
                    _measure(Path(folder), Caller(url, key), process, asked.kills)
                    _measure_rpc(RpcCaller(rpc_port, key))
    return 0


def _measure(folder: Path, caller: Caller, process: int, kills: int) -> None:
    for number in range(2 * ROOMS):
        caller.understands(number % ROOMS)
    parts = sorted(_memory(process).items())
    _tell("memory (PSS)", ", ".join(f"{name} {mib} MiB" for name, mib in parts))
    hub_ms, alone_ms = _ms(caller.understands, CALLS), _stage_ms(folder)
    _tell("the stage itself", f"median {statistics.median(alone_ms):.2f} ms")
    _tell("/v1/interpret", f"median {statistics.median(hub_ms):.2f}, p95 {_p95(hub_ms):.2f} ms")
    _tell("added", f"{statistics.median(hub_ms) - statistics.median(alone_ms):.2f} ms")
    waits_ms = [ms for _ in range(BURSTS) for ms in _burst(caller)]
    _tell(
        f"{ROOMS} rooms at one moment, {BURSTS} times",
        f"median {statistics.median(waits_ms):.0f}, p95 {_p95(waits_ms):.0f} ms",
    )
    wrong, longest_ms = 0, 0.0
    for _ in range(kills):
        before = workers(process)
        kill = threading.Timer(KILLED_AFTER_S, os.kill, (before[0], signal.SIGKILL))
        kill.start()
        waits_ms = _burst(caller)
        kill.join()
        wrong += sum(map(math.isnan, waits_ms))
        longest_ms = max(longest_ms, *(ms for ms in waits_ms if not math.isnan(ms)))
        began_s = time.monotonic()
        while len(set(workers(process)) - {before[0]}) < len(before):
            if time.monotonic() - began_s > RESTARTS_S:
                raise SystemExit("no worker took the place of the one that was killed")
            time.sleep(0.2)
        time.sleep(RESTARTS_S / 4)
    told = f"{wrong} of {ROOMS * kills} unanswered or wrong, longest {longest_ms:.0f} ms"
    _tell(f"a worker killed, {kills} times", told)


def _measure_rpc(caller: RpcCaller) -> None:
    for number in range(2 * ROOMS):
        caller.understands(number % ROOMS)
    ms = _ms(caller.understands, CALLS)
    _tell("Interpret over gRPC", f"median {statistics.median(ms):.2f}, p95 {_p95(ms):.2f} ms")


class RpcCaller:
    """The rooms over gRPC, all on one connection."""

    def __init__(self, port: int, key: str) -> None:
        self._given = (("authorization", f"Bearer {key}"),)
        self._ask = grpc.insecure_channel(f"127.0.0.1:{port}").unary_unary(
            "/hark.hub.v1.Hub/Interpret",
            CLASSES["TextRequest"].SerializeToString,
            CLASSES["InterpretReply"].FromString,
        )

    def understands(self, room: int) -> bool:
        """Whether a room's own lamp is what is understood."""
        room %= ROOMS
        asked = CLASSES["TextRequest"](text=f"turn on lamp {room}", area=f"room{room}")
        told = self._ask(asked, metadata=self._given, timeout=60.0)
        return bool(told.commands) and told.text.endswith(f" {room}")


class Caller:
    """The rooms, each on a connection of its own; if it `keeps` none, one for each call."""

    def __init__(self, url: str, key: str, keeps: bool = True) -> None:
        self._keeps = keeps
        self._where = urlsplit(url).netloc
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._own = threading.local()

    def understands(self, room: int) -> bool:
        """Whether a room's own lamp is what is understood."""
        room %= ROOMS
        status, told = self._post("/v1/interpret", f"turn on lamp {room}", room)
        return status == 200 and bool(told["commands"]) and told["text"].endswith(f" {room}")

    def guesses(self, room: int) -> bool:
        """Whether a room has a reply to a text that fits no sentence, whatever it is."""
        room %= ROOMS
        status, _ = self._post("/v1/interpret", "tell me what the time is please", room)
        return status == 200

    def answers(self, room: int) -> bool:
        """Whether a room is answered from the documents."""
        room %= ROOMS
        asked = "how long does the guarantee of the dishwasher run"
        status, told = self._post("/v1/answer", asked, room)
        return status == 200 and "three years" in told["text"]

    def _post(self, path: str, text: str, room: int) -> tuple[int, dict[str, Any]]:
        body = json.dumps({"text": text, "area": f"room{room}"})
        try:
            connection = self._own.connection
        except AttributeError:
            connection = self._own.connection = http.client.HTTPConnection(self._where)
        connection.request("POST", path, body, self._headers)
        reply = connection.getresponse()
        told = json.loads(reply.read())
        if not self._keeps:
            connection.close()
        return reply.status, told


@contextmanager
def hub(
    folder: Path,
    replicas: int,
    rpc_port: int = 0,
    *further: str,
    program: Sequence[str] = (sys.executable, "-m", "assistant", "hub"),
) -> Iterator[tuple[str, int]]:
    """A hub's address and process, on a state of its own; with gRPC where it has a port for it.

    It is started with `further` options, as `program` or as that of this environment.
    """
    options = ("--port", "0", "--tenants", "tenants.toml", "--replicas", str(replicas))
    options += ("--grpc-port", str(rpc_port), *further)
    folders = {f"{name}_DIRECTORY": str(folder / name) for name in ("STATE", "CACHE")}
    environment = os.environ | folders
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUNBUFFERED": "1"}
    command = (*program, *options)
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        # Ray may say something first, as of a start of many workers.
        lines = process.stdout or ()
        line = next((line for line in lines if line.startswith("hub: serves at ")), "")
        if not line:
            raise SystemExit("the hub did not start")
        try:
            yield line.split()[-1], process.pid
        finally:
            process.terminate()


def prepared(folder: Path, documents: Path | None = None) -> str:
    """Write a tenant with its home, and its documents if there are any; gives its key."""
    key, rooms = new_key(), range(ROOMS)
    areas = "".join(f"- {{name: Room {n}, id: room{n}}}\n" for n in rooms)
    lamps = "".join(
        f'- {{name: Lamp {n}, id: light.lamp{n}, area: room{n}, state: "off"}}\n' for n in rooms
    )
    (folder / "home.yaml").write_text(f"areas:\n{areas}entities:\n{lamps}", "utf-8")
    tenant = f'[house]\nkey = "{hash_of(key)}"\nhome = "home.yaml"\n'
    tenant += f'documents = "{documents}"\n' if documents is not None else ""
    often = "requests_per_s = 1e6\nburst = 1000000\n"
    (folder / "tenants.toml").write_text(tenant + often, "utf-8")
    return key


def _stage_ms(folder: Path) -> list[float]:
    """How long the stage takes for the same texts in this process."""
    tenant = load_tenants(folder / "tenants.toml")["house"]
    stage = Composition(config_of(load_config(())[0], "house", tenant)).nlu()

    def understands(number: int) -> bool:
        room = number % ROOMS
        text, name = f"turn on lamp {room}", str(number)
        said = Transcript(
            utterance_id=name, revision=0, text=text, engine="text", area=f"room{room}"
        )
        return bool(list(stage.feed(said)))

    _ms(understands, 2 * ROOMS)
    return _ms(understands, CALLS)


def _ms(call: Callable[[int], bool], times: int) -> list[float]:
    measured = [timed(call, number) for number in range(times)]
    if any(map(math.isnan, measured)):
        raise SystemExit("a call was not answered, or wrongly")
    return measured


def timed(call: Callable[[int], bool], number: int) -> float:
    """The milliseconds of a call; no number where it failed."""
    began_s = time.perf_counter()
    try:
        is_right = call(number)
    except (OSError, http.client.HTTPException):
        is_right = False
    return (time.perf_counter() - began_s) * 1000 if is_right else float("nan")


def _burst(caller: Caller) -> list[float]:
    """The milliseconds of all rooms, which ask at one moment."""
    together = threading.Barrier(ROOMS)

    def ask(room: int) -> float:
        together.wait()
        return timed(caller.understands, room)

    with ThreadPoolExecutor(ROOMS) as rooms:
        return list(rooms.map(ask, range(ROOMS)))


def _p95(values: list[float]) -> float:
    return percentile(sorted(values), 0.95)


def _children(process: int) -> Iterator[tuple[int, str]]:
    """The processes of the hub with their names."""
    yield process, "hub"
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            name = (folder / "cmdline").read_bytes().split(b"\0")[0].decode()
        except (OSError, ValueError):
            continue
        if parent == process or name.startswith("ray::"):
            yield int(folder.name), name.strip()


def workers(process: int, stage: str = "nlu") -> list[int]:
    """The processes of a stage."""
    named = f"ray::ServeReplica:{stage}"
    return [pid for pid, name in _children(process) if name.startswith(named)]


def _memory(process: int) -> dict[str, int]:
    """What each kind of process holds, in MiB."""
    total: dict[str, int] = {}
    for pid, name in _children(process):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        kib = next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        kind = name.removeprefix("ray::ServeReplica:").partition(":")[0]
        kind = kind if kind in ("hub", "asr", "nlu", "answer") else "Ray"
        total[kind] = total.get(kind, 0) + kib // 1024
    return total | {"all": sum(total.values())}


def _tell(what: str, figure: str) -> None:
    sys.stdout.write(f"{what}: {figure}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
