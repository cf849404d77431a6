"""What a real Prometheus scrapes of the gateway."""

from __future__ import annotations

import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra hub is not installed")
pytest.importorskip("fastapi", reason="the extra hub is not installed")

import uvicorn

from assistant.hub.gateway import application
from assistant.hub.service import Service
from assistant.hub.tenants import Tenant
from tests.support.hub_streams import Streams
from tests.support.prometheus import PROMETHEUS, prometheus_of

pytestmark = pytest.mark.skipif(PROMETHEUS is None, reason="needs Debian's package prometheus")


@pytest.fixture
def port() -> Iterator[int]:
    """Where a gateway listens."""
    service = Service(Streams(), {"here": Tenant()}, list)
    settings = uvicorn.Config(application(service), lifespan="off", log_level="error")
    server = uvicorn.Server(settings)
    with socket.create_server(("127.0.0.1", 0)) as bound:
        serving = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        serving.start()
        yield bound.getsockname()[1]
        server.should_exit = True
        serving.join()


def test_a_real_prometheus_scrapes_the_hub_and_evaluates_its_rules(
    port: int, tmp_path: Path
) -> None:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/interpret",
        b'{"text": "lamp off"}',
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        assert reply.status == 200
    with prometheus_of(tmp_path, port) as asked:
        path = '{path="/v1/interpret"}'
        assert asked.until(lambda: asked.value(f"hark_hub_request_seconds_count{path}")) == ["1"]
        assert asked.value('hark_hub_replicas{stage="nlu"}') == ["2"]
        rules = asked.rules()
        assert [rule["name"] for rule in rules if rule.get("lastError")] == []
        assert "HarkHubCallsLate" in {rule["name"] for rule in rules}
