"""Who is let in when the tenants change while the gateway serves."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping

import msgspec
import pytest

pytest.importorskip("fastapi", reason="the extra hub is not installed")
pytest.importorskip("httpx", reason="the test client of the extra hub is not installed")

from fastapi.testclient import TestClient

from assistant.core.messages import Interpretation, Message
from assistant.hub.gateway import application
from assistant.hub.observation.figures import StageLoad
from assistant.hub.service import Service
from assistant.hub.tenants import KnownTenants, Tenant, hash_of
from assistant.pool.requests import PoolRequest


class Streams:
    """Understands nothing."""

    async def stream(
        self, stage: str, request: PoolRequest, budget_s: float = 0.0, tenant: str = ""
    ) -> AsyncGenerator[Message, None]:
        yield Interpretation(utterance_id=request.utterance_id, revision=0, text="", commands=())

    async def ready(self) -> bool:
        return True

    async def loads(self) -> Mapping[str, StageLoad]:
        return {}


def tenant(key: str, burst: int = 2) -> Tenant:
    return Tenant(key=hash_of(key), requests_per_s=1.0, burst=burst)


@pytest.fixture
def known() -> KnownTenants:
    return KnownTenants({"red": tenant("red"), "blue": tenant("blue")})


@pytest.fixture
def client(known: KnownTenants) -> Iterator[TestClient]:
    service = Service(Streams(), known, list, clock=lambda: 100.0)
    with TestClient(application(service)) as client:
        yield client


def status(client: TestClient, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    told: int = client.post("/v1/interpret", json={"text": "hello"}, headers=headers).status_code
    return told


def test_who_was_removed_is_out_and_who_is_new_is_in(
    client: TestClient, known: KnownTenants
) -> None:
    assert [status(client, key) for key in ("red", "blue", "green")] == [200, 200, 401]
    known.become({"red": tenant("another"), "green": tenant("green")})
    told = [status(client, key) for key in ("red", "another", "blue", "green")]
    assert told == [401, 200, 401, 200]


def test_a_tenant_with_another_rate_begins_anew_and_others_go_on(
    client: TestClient, known: KnownTenants
) -> None:
    for key in ("red", "blue"):
        assert [status(client, key) for _ in range(3)] == [200, 200, 429]
    known.become({"red": tenant("red", burst=3), "blue": tenant("blue")})
    assert [status(client, "red") for _ in range(4)] == [200, 200, 200, 429]
    assert status(client, "blue") == 429


def test_a_tenant_may_ask_for_what_it_has_a_right_to(
    client: TestClient, known: KnownTenants
) -> None:
    limited = msgspec.structs.replace(tenant("red"), calls=("models",))
    known.become({"red": limited, "blue": tenant("blue")})
    headers = {"Authorization": "Bearer red"}
    refused = client.post("/v1/interpret", json={"text": "hello"}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "hub.right")
    assert refused.json()["message"] == "red may not interpret, but models"
    assert client.get("/v1/models", headers=headers).status_code == 200
    assert status(client, "blue") == 200
