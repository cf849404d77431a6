"""What it costs that a skill has a process of its own: `python -m benchmarks.isolation`.

A skill that imports only `assistant.skill` is called, and crashes in turn; measured are a call, the
call after a crash, and the memory that its process has for itself. Another asks a server on this
machine through a bridge, whose memory is measured, too. So are a statement on a skill's tables, and
the process that runs it.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from assistant.core.errors import SkillError
from assistant.skill import Context, Request
from assistant.skill.testing import memory_context
from skills.capabilities.tables import LARGEST_FILE_BYTES
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from skills.isolation.spawner import Spawner
from skills.isolation.tables import TableDatabase
from tests.support.network_bridge import Bridge, loaded, with_network
from tests.support.web_server import WebServer

PYPROJECT = """
[project]
name = "glass"
[project.entry-points."assistant.skills"]
glass = "glass:skill"
"""
MODULE = """
from assistant.skill import Reply, Skill
import os

skill = Skill("glass", api=1)

@skill.intent("Ring", "ring")
def ring() -> Reply:
    return Reply("Ping.")

@skill.intent("Break", "break")
def shatter() -> Reply:
    os._exit(1)
"""


class Figures(msgspec.Struct, kw_only=True):
    """Medians and 99th percentiles in ms, and the proportional set size in MB."""

    calls: int
    call_ms: tuple[float, float]
    after_crash_ms: tuple[float, float]
    memory_mb: float
    server_ms: tuple[float, float]
    bridge_mb: float
    statement_ms: tuple[float, float]
    tables_mb: float


def called(skill: IsolatedSkill, intent: str, context: Context | None = None) -> float:
    """Milliseconds that a call takes."""
    began_s = time.perf_counter()
    request = Request(utterance_id="u", text="", intent=intent)
    dialog = skill.call(request, context or memory_context())
    with suppress(StopIteration):
        next(dialog)
    return 1000 * (time.perf_counter() - began_s)


def measure(calls: int, folder: Path) -> Figures:
    """Call the skill so often, and have it crash as often."""
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "glass.py").write_text(MODULE)
    host = Host()
    skill = host.load(folder)
    skill.warm()
    called(skill, "Ring")
    plain = [called(skill, "Ring") for _ in range(calls)]
    memory_mb = _memory_mb(skill.pid)
    after = []
    for _ in range(calls):
        with suppress(SkillError):
            called(skill, "Break")
        host.quarantine.release(skill.name)
        after.append(called(skill, "Ring"))
    host.close()
    server_ms, bridge_mb = asked(calls, folder)
    statement_ms, tables_mb = stated(calls, folder)
    return Figures(
        calls=calls,
        call_ms=_middle_and_most(plain),
        after_crash_ms=_middle_and_most(after),
        memory_mb=memory_mb,
        server_ms=server_ms,
        bridge_mb=bridge_mb,
        statement_ms=statement_ms,
        tables_mb=tables_mb,
    )


def asked(calls: int, folder: Path) -> tuple[tuple[float, float], float]:
    """Milliseconds of a call that asks a server, and the bridge's memory in MB."""
    with ExitStack() as things:
        web = things.enter_context(closing(WebServer()))
        permissions = (f"network:{web.origin}",)
        bridge = Bridge(folder, permissions, things)
        body = f"return Reply(context.network.get('{web.origin}/hello').text)"
        skill, context = loaded(folder, things, permissions, body), with_network(bridge.socket)
        called(skill, "Probe", context)
        times_ms = [called(skill, "Probe", context) for _ in range(calls)]
        return _middle_and_most(times_ms), _memory_mb(bridge.process.pid)


def stated(calls: int, folder: Path) -> tuple[tuple[float, float], float]:
    """Milliseconds of a statement that inserts a row, and the memory of its process in MB."""
    with closing(Spawner()) as spawner:
        tables = TableDatabase(folder / "glass.db", LARGEST_FILE_BYTES, spawner)
        tables.execute_for_guest("CREATE TABLE rings (at REAL)")
        with closing(tables), tables.transaction():
            times_ms = []
            for _ in range(calls):
                began_s = time.perf_counter()
                tables.execute_for_guest("INSERT INTO rings VALUES (?)", began_s)
                times_ms.append(1000 * (time.perf_counter() - began_s))
            return _middle_and_most(times_ms), _memory_mb(tables.pid)


def _memory_mb(pid: int | None) -> float:
    """The proportional set size of a process."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    kilobytes = next(int(line.split()[1]) for line in rollup.splitlines() if line[:4] == "Pss:")
    return round(kilobytes / 1000, 1)


def _middle_and_most(times_ms: list[float]) -> tuple[float, float]:
    middle, most = np.percentile(times_ms, [50, 99])
    return round(float(middle), 2), round(float(most), 2)


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=300)
    with TemporaryDirectory() as folder:
        figures = measure(parser.parse_args().calls, Path(folder))
    sys.stdout.write(msgspec.json.encode(figures).decode() + "\n")


if __name__ == "__main__":
    main()
