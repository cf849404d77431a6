"""The hub on a Ray cluster that runs already, and that goes on without it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("assistant.hub.ray.engine", reason="the extra hub is not installed")

TOKEN = "5eed" * 16
PROGRAM = """
import sys
from assistant.core.errors import InputError
from assistant.core.messages import Question, SpokenReply
from assistant.hub.ray.pool import RayPool
from assistant.pool.requests import PoolRequest
from tests.support.counting_stage import counting

if __name__ == "__main__":
    try:
        pool = RayPool({"counting": counting}, replicas=1, address=sys.argv[1])
    except InputError as error:
        sys.exit(f"{error.code}: {error.message}")
    asked = PoolRequest(messages=(Question(utterance_id="u", text="3"),))
    print(*(one.text for one in pool.run("counting", asked) if isinstance(one, SpokenReply)))
    pool.close()
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster's head, which is a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("r")
    command = ("-m", "ray.scripts.scripts", "start", "--head", "--block", "--disable-usage-stats")
    options = (
        f"--port={port}",
        "--include-dashboard=false",
        "--num-cpus=2",
        f"--temp-dir={folder}",
    )
    with subprocess.Popen(
        (sys.executable, *command, *options),
        env=_environment(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as head:
        assert head.stdout is not None
        while "Ray runtime started" not in (line := head.stdout.readline()):
            assert line, "the head did not start"
        yield f"127.0.0.1:{port}"
        os.killpg(head.pid, signal.SIGKILL)  # it would drain for half a minute


def _environment(token: str = TOKEN) -> dict[str, str]:
    path = os.pathsep.join(filter(None, sys.path))
    return os.environ | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token, "PYTHONPATH": path}


def joined(folder: Path, address: str, token: str = TOKEN) -> subprocess.CompletedProcess[str]:
    """What a program says that joins the cluster, is served there and leaves it."""
    program = folder / "program.py"
    program.write_text(PROGRAM, "utf-8")
    return subprocess.run(
        (sys.executable, str(program), address),
        env=_environment(token),
        capture_output=True,
        text=True,
        timeout=180,
    )


def test_it_is_served_there_and_the_cluster_goes_on(tmp_path: Path, cluster: str) -> None:
    for _ in range(2):
        told = joined(tmp_path, cluster)
        assert told.stdout.split() == ["0", "1", "2", "3"], told.stderr


def test_who_has_another_token_is_told(tmp_path: Path, cluster: str) -> None:
    told = joined(tmp_path, cluster, "0" * 64)
    assert told.returncode == 1
    assert f"hub.cluster: {cluster} is no Ray of this version, or its RAY_AUTH" in told.stderr


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:x", "127.0.0.1"])
def test_where_nothing_is_it_says_so_at_once(tmp_path: Path, address: str) -> None:
    told = joined(tmp_path, address)
    assert told.returncode == 1
    assert f"hub.cluster: nothing answers at {address}" in told.stderr
