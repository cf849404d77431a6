"""The supervisor with real processes and real signals; only its patience is shortened."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assistant.core.messages import Reload, SafeModeEntered, StageRestarted
from assistant.supervision.bounds import Bounds
from assistant.supervision.channel import News, ProcessStatus, Status, decode_news
from assistant.supervision.process import Patience, ProcessSpec
from tests.support import processes
from tests.support.processes import DEADLINE_S, Plan, until

QUICK = Patience(
    startup_s=60.0, backoff_s=(0.01, 0.02), zygote_s=60.0, stop_s=1.0, rest_s=3600.0, failures=3
)
BUSY_S = 60.0
"""Seconds without a beat that mean nothing on a busy machine."""
SMALL = Bounds(resident_bytes=100_000_000, descriptors=60)
MOST_GROWTH_BYTES = 300_000
"""Over the second half of the restarts."""
ATTENTIVE = msgspec.structs.replace(QUICK, look_s=0.1, retire_s=0.5)


class Daemon:
    """A supervisor in a process of its own, seen through the news that its `control` writes."""

    def __init__(self, folder: Path) -> None:
        self.environment = dict(os.environ)
        self.news_file = folder / "news"
        self._modules = folder / "modules"
        self._log = folder / "log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(
        self, *specs: ProcessSpec, patience: Patience = QUICK, preload: tuple[str, ...] = ()
    ) -> None:
        control = ProcessSpec(
            name="control",
            target="tests.support.processes:publishes",
            arguments=(str(self.news_file),),
            hang_after_s=BUSY_S,
            safe=True,
        )
        plan = Plan(processes=[*specs, control], patience=patience, preload=list(preload))
        paths = os.pathsep.join(p for p in sys.path if p)
        script = Path(processes.__file__)
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                (sys.executable, script, msgspec.json.encode(plan), self._modules),
                env={**self.environment, "PYTHONPATH": paths},
                stderr=log,
            )

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def news(self) -> list[News]:
        if not self.news_file.exists():
            return []
        whole, _, _ = self.news_file.read_bytes().rpartition(b"\n")
        return [decode_news(line) for line in whole.splitlines()]

    def events(self) -> list[News]:
        return [n for n in self.news() if not isinstance(n, Status)]

    def status(self) -> dict[str, ProcessStatus]:
        told = [n for n in self.news() if isinstance(n, Status)]
        return {p.name: p for p in told[-1].processes} if told else {}

    def details(self, name: str, state: str) -> set[str]:
        """What was said of a process whenever it was in that state."""
        told = (p for n in self.news() if isinstance(n, Status) for p in n.processes)
        return {p.detail for p in told if (p.name, p.state) == (name, state)}

    def pids(self) -> dict[str, int]:
        """The processes once all run."""
        status = until(lambda: self._all_ready())
        return {name: p.pid for name, p in status.items() if p.pid is not None}

    def log(self) -> str:
        return self._log.read_text()

    def modules(self) -> set[str]:
        # The file exists a moment before it is written.
        names = until(lambda: self._modules.exists() and self._modules.read_text())
        return set(names.split(","))

    def stop(self) -> int:
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(DEADLINE_S)

    def _all_ready(self) -> dict[str, ProcessStatus]:
        status = self.status()
        return status if all(p.state in ("ready", "degraded") for p in status.values()) else {}


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path)
    yield daemon
    if daemon.process is not None:
        daemon.process.kill()
        daemon.process.wait()


@pytest.fixture
def systemd(daemon: Daemon, tmp_path: Path) -> Iterator[socket.socket]:
    """systemd's end of the daemon's notifications."""
    path = str(tmp_path / "notify")
    daemon.environment |= {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"}
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(path)
        systemd.settimeout(DEADLINE_S)
        yield systemd


def works(name: str, **settings: Any) -> ProcessSpec:
    given = {"target": "tests.support.processes:works", "hang_after_s": BUSY_S, **settings}
    return ProcessSpec(name=name, **given)


def alive(pid: int) -> bool:
    """Whether `pid` exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_process_is_started_again(daemon: Daemon) -> None:
    daemon.start(works("asr"), works("nlu"))
    before = daemon.pids()
    assert "started again" not in daemon.log()
    os.kill(before["asr"], signal.SIGKILL)
    restarted = StageRestarted(stage="asr", reason="killed by SIGKILL")
    until(lambda: restarted in daemon.events())
    after = until(lambda: (p := daemon.pids())["asr"] != before["asr"] and p)
    assert after == {**before, "asr": after["asr"]}
    assert daemon.events() == [restarted]
    assert until(lambda: daemon.status()["asr"].restarts) == 1


def test_a_stopped_process_is_noticed_killed_and_started_again(daemon: Daemon) -> None:
    daemon.start(works("asr", hang_after_s=0.3), works("nlu"))
    before = daemon.pids()["asr"]
    os.kill(before, signal.SIGSTOP)
    until(lambda: StageRestarted(stage="asr", reason="hung") in daemon.events())
    assert not alive(before)


def test_a_process_that_stops_beating_is_started_again_and_its_last_state_shown(
    daemon: Daemon,
) -> None:
    target = "tests.support.processes:hangs_later"
    # Safe: each of its lives is short, and may be over before anybody is there to show it.
    daemon.start(ProcessSpec(name="asr", target=target, hang_after_s=0.3, safe=True))
    until(lambda: "no network" in daemon.details("asr", "degraded"))
    until(lambda: StageRestarted(stage="asr", reason="hung") in daemon.events())


def test_a_process_that_others_leave_no_processor_is_waited_for(daemon: Daemon) -> None:
    """A process that runs only where nobody else wants to, on the one processor of one who does."""
    target = "tests.support.processes:toils"
    daemon.start(ProcessSpec(name="asr", target=target, hang_after_s=0.3), works("nlu"))
    before = daemon.pids()
    processor = min(os.sched_getaffinity(0))
    greedy = f"import os\nos.sched_setaffinity(0, [{processor}])\nwhile True: pass"
    with subprocess.Popen((sys.executable, "-c", greedy)) as other:
        os.sched_setaffinity(before["asr"], {processor})
        os.sched_setscheduler(before["asr"], os.SCHED_IDLE, os.sched_param(0))
        try:
            until(lambda: "asr: no beat, as it waits for a processor" in daemon.log())
        finally:
            other.kill()
    until(lambda: daemon.status()["asr"].state == "ready")
    assert daemon.pids() == before
    assert not daemon.events()


@pytest.mark.parametrize("what", ["memory", "files"])
@pytest.mark.parametrize("asked", ["obeys", "ignores"])
def test_a_process_that_leaks_is_named_and_started_again(
    daemon: Daemon, what: str, asked: str
) -> None:
    target, arguments = "tests.support.processes:leaks", (what, asked)
    leaking = ProcessSpec(name="nlu", target=target, arguments=arguments, bounds=SMALL)
    retire_s = ATTENTIVE.retire_s if asked == "ignores" else BUSY_S
    patience = msgspec.structs.replace(ATTENTIVE, retire_s=retire_s)
    daemon.start(leaking, works("asr", bounds=SMALL), patience=patience)
    asr = daemon.pids()["asr"]
    until(lambda: StageRestarted(stage="nlu", reason="out of bounds") in daemon.events())
    log = daemon.log()
    assert f"of {what}" in log or f"{what} open" in log
    assert "is started again (process.bounds)" in log
    assert ("nlu: still busy, is killed" in log) is (asked == "ignores")
    assert daemon.pids()["asr"] == asr


def test_a_process_that_leaks_as_soon_as_it_is_started_is_switched_off(daemon: Daemon) -> None:
    target, arguments = "tests.support.processes:leaks", ("files",)
    daemon.start(
        ProcessSpec(name="nlu", target=target, arguments=arguments, bounds=SMALL),
        patience=ATTENTIVE,
    )
    until(lambda: SafeModeEntered(stage="nlu") in daemon.events())


def test_the_third_failure_is_safe_mode_and_a_reload_ends_it(
    daemon: Daemon, tmp_path: Path
) -> None:
    mended = tmp_path / "mended"
    spec = ProcessSpec(
        name="answer", target="tests.support.processes:crashes_until", arguments=(str(mended),)
    )
    daemon.start(spec, works("skills"))
    until(lambda: SafeModeEntered(stage="answer") in daemon.events())
    again = StageRestarted(stage="answer", reason="exited with status 3")
    assert daemon.events() == [SafeModeEntered(stage="answer")]
    until(lambda: daemon.status()["answer"].state == "safe mode")
    mended.touch()
    os.kill(daemon.pid, signal.SIGHUP)
    until(lambda: daemon.status()["answer"].state == "ready")
    until(lambda: daemon.events()[1:] == [Reload(), again])


def test_a_process_may_ask_for_a_reload(daemon: Daemon) -> None:
    daemon.start(ProcessSpec(name="skills", target="tests.support.processes:asks"))
    until(lambda: daemon.events() == [Reload()])
    assert "(supervisor.reload)" in daemon.log()


def test_a_process_that_safe_mode_needs_is_tried_for_ever(daemon: Daemon) -> None:
    daemon.start(ProcessSpec(name="audio", target="tests.support.processes:crashes", safe=True))
    until(lambda: daemon.log().count("audio: started again") > 5)
    assert not daemon.events()
    assert "no microphone is attached; plug one in (audio.none)" in daemon.log()
    assert "Traceback" not in daemon.log()


def test_wrong_settings_of_one_process_end_the_start(daemon: Daemon, tmp_path: Path) -> None:
    target, unless = "tests.support.processes:has_wrong_settings", str(tmp_path / "mended")
    daemon.start(ProcessSpec(name="ears", target=target, arguments=(unless,), safe=True))
    assert daemon.process is not None
    assert daemon.process.wait(DEADLINE_S) == 2
    assert daemon.log().count('no engine listens for "xyzzy" (wake.unknown_keyword)') == 1


def test_wrong_settings_end_nothing_that_has_run(daemon: Daemon, tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    mended.touch()
    target = "tests.support.processes:has_wrong_settings"
    daemon.start(ProcessSpec(name="ears", target=target, arguments=(str(mended),), safe=True))
    pids = daemon.pids()
    mended.unlink()
    os.kill(pids["ears"], signal.SIGKILL)
    until(lambda: daemon.log().count("wake.unknown_keyword") >= 2)
    mended.touch()
    assert until(
        lambda: StageRestarted(stage="ears", reason="exited with status 2") in daemon.events()
    )
    assert daemon.stop() == 0


def test_news_wait_while_the_process_that_publishes_them_is_down(daemon: Daemon) -> None:
    daemon.start(works("asr"))
    pids = daemon.pids()
    os.kill(pids["control"], signal.SIGSTOP)
    os.kill(pids["asr"], signal.SIGKILL)
    until(lambda: "asr: started again" in daemon.log())
    os.kill(pids["control"], signal.SIGKILL)
    killed = [StageRestarted(stage=s, reason="killed by SIGKILL") for s in ("asr", "control")]
    until(lambda: sorted(daemon.events(), key=str) == killed)


def test_a_process_that_talks_nonsense_is_logged_and_served(daemon: Daemon) -> None:
    daemon.start(ProcessSpec(name="asr", target="tests.support.processes:chatters"))
    daemon.pids()
    assert "(process.beat)" in daemon.log()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_without_its_zygote_everything_is_started_again(
    daemon: Daemon, number: signal.Signals
) -> None:
    zygote_s = 2.0 if number is signal.SIGSTOP else QUICK.zygote_s
    daemon.start(works("asr"), patience=msgspec.structs.replace(QUICK, zygote_s=zygote_s))
    before = daemon.pids()
    os.kill(parent_of(before["asr"]), number)
    after = until(
        lambda: (
            (p := daemon.pids()).keys() == before.keys()
            and not set(p.values()) & set(before.values())
            and p
        )
    )
    assert after
    assert "(zygote.lost)" in daemon.log()
    until(lambda: not any(map(alive, before.values())))
    assert {n.stage for n in daemon.events() if isinstance(n, StageRestarted)} == {"asr", "control"}


@pytest.mark.parametrize(("nlu", "stop_s"), [("works", BUSY_S), ("stubborn", QUICK.stop_s)])
def test_sigterm_ends_everything_in_order(daemon: Daemon, nlu: str, stop_s: float) -> None:
    target, patience = (
        f"tests.support.processes:{nlu}",
        msgspec.structs.replace(QUICK, stop_s=stop_s),
    )
    daemon.start(works("asr"), works("nlu", target=target), patience=patience)
    pids = daemon.pids()
    everything = [*pids.values(), parent_of(pids["asr"])]
    assert daemon.stop() == 0
    until(lambda: not any(map(alive, everything)))
    assert ("nlu: did not end in time" in daemon.log()) is (nlu == "stubborn")
    assert nlu == "stubborn" or "did not end" not in daemon.log()


def test_a_supervisor_that_is_killed_takes_everything_down(daemon: Daemon) -> None:
    daemon.start(works("asr"), ProcessSpec(name="nlu", target="tests.support.processes:stubborn"))
    pids = daemon.pids()
    everything = [*pids.values(), parent_of(pids["asr"])]
    os.kill(daemon.pid, signal.SIGKILL)
    until(lambda: not any(map(alive, everything)))


@pytest.mark.parametrize("restarts", [20, pytest.param(200, marks=pytest.mark.depth)])
def test_restarts_leave_nothing_behind(daemon: Daemon, restarts: int) -> None:
    daemon.start(works("asr", safe=True), preload=("tests.support.processes",))
    pids = daemon.pids()
    zygote = parent_of(pids["asr"])
    before = (descriptors(daemon.pid), descriptors(zygote), descriptors(pids["asr"]))
    for restart in range(restarts):
        if restart == restarts // 2:
            resident = [resident_bytes(pid) for pid in (daemon.pid, zygote)]
        gone = daemon.pids()["asr"]
        os.kill(gone, signal.SIGKILL)
        until(lambda gone=gone: daemon.pids().get("asr", gone) != gone)
    last = daemon.pids()["asr"]
    assert (descriptors(daemon.pid), descriptors(zygote), descriptors(last)) == before
    assert [p for p in children_of(zygote) if not alive(p)] == []
    assert len(children_of(zygote)) == 2
    assert resident_bytes(daemon.pid) - resident[0] < MOST_GROWTH_BYTES
    assert resident_bytes(zygote) - resident[1] < MOST_GROWTH_BYTES


def test_systemd_is_told_and_the_watchdog_fed(daemon: Daemon, systemd: socket.socket) -> None:
    daemon.start(works("asr"))
    first = [line for line in told(systemd, "READY=1") if line != "WATCHDOG=1"]
    assert first[0] == "STATUS=waiting for asr, control"
    assert first[-2:] == ["STATUS=2 processes are up", "READY=1"]
    assert told(systemd, "WATCHDOG=1")
    os.kill(daemon.pid, signal.SIGHUP)
    reload = [line for line in told(systemd, "READY=1") if line != "WATCHDOG=1"]
    assert reload[0].startswith("RELOADING=1\nMONOTONIC_USEC=")
    assert daemon.stop() == 0
    assert told(systemd, "STOPPING=1")


def test_the_watchdog_starves_when_a_process_cannot_be_mended(
    daemon: Daemon, systemd: socket.socket
) -> None:
    spec = ProcessSpec(name="audio", target="tests.support.processes:crashes", safe=True)
    daemon.start(spec, patience=msgspec.structs.replace(QUICK, startup_s=1.5))
    assert told(systemd, "WATCHDOG=1")
    until(lambda: not fed(systemd))


def test_neither_the_supervisor_nor_the_zygote_without_preload_loads_an_engine(
    daemon: Daemon,
) -> None:
    daemon.start(works("asr"))
    assert not {"zmq", "numpy", "onnxruntime", "sounddevice"} & daemon.modules()
    assert "assistant.supervision.supervisor" in daemon.modules()


def test_the_zygote_loads_every_engine_without_a_thread(daemon: Daemon) -> None:
    daemon.start(works("asr"), preload=("numpy", "zmq", "onnxruntime", "soxr", "soundfile"))
    zygote = parent_of(daemon.pids()["asr"])
    assert len(os.listdir(f"/proc/{zygote}/task")) == 1
    assert "zygote.threads" not in daemon.log()
    assert "onnxruntime" in Path(f"/proc/{zygote}/maps").read_text()


def test_a_module_that_cannot_be_loaded_is_named_and_the_rest_runs(daemon: Daemon) -> None:
    daemon.start(works("asr"), preload=("no_such_engine",))
    assert daemon.pids()
    assert "no_such_engine" in daemon.log()


def told(systemd: socket.socket, last: str) -> list[str]:
    """What systemd is told up to and with `last`."""
    lines = []
    while not lines or lines[-1] != last:
        lines.append(systemd.recv(4096).decode())
    return lines


def fed(systemd: socket.socket) -> bool:
    """Whether the watchdog is fed within a few of its intervals."""
    systemd.settimeout(1.0)
    try:
        return bool(told(systemd, "WATCHDOG=1"))
    except TimeoutError:
        return False


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def children_of(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))
