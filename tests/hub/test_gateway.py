"""The gateway over a pool in this process, as HTTP clients see it."""

from __future__ import annotations

import asyncio
import json
import logging
import wave
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra hub is not installed")
pytest.importorskip("httpx", reason="the test client of the extra hub is not installed")

from fastapi.testclient import TestClient

from assistant.core.messages import AudioChunk
from assistant.hub import bounds
from assistant.hub.gateway import application
from assistant.hub.schema import ModelState
from assistant.hub.service import MOST_BYTES, Service
from assistant.hub.tenants import hash_of
from assistant.pool.admission import BUSY_REPLY
from tests.support.hub_streams import KEYS, TENANTS, Streams, sound


@pytest.fixture
def streams() -> Streams:
    return Streams()


@pytest.fixture
def client(streams: Streams) -> Iterator[Callable[..., Any]]:
    models = [ModelState(name="intent", version="3", state="shipped", on_trial="4")]
    app = application(Service(streams, TENANTS, lambda: models, clock=lambda: 100.0))
    with TestClient(app, raise_server_exceptions=False) as session:

        def ask(path: str, tenant: str = "red", **more: Any) -> Any:
            headers = {"Authorization": f"Bearer {KEYS.get(tenant, tenant)}"} if tenant else {}
            method = "POST" if "json" in more or "content" in more else "GET"
            return session.request(method, path, headers=headers | more.pop("headers", {}), **more)

        yield ask


def test_a_text_is_interpreted_for_its_tenant(client: Callable[..., Any], streams: Streams) -> None:
    told = client("/v1/interpret", "blue", json={"text": "lamp off", "area": "kitchen"})
    assert told.status_code == 200
    (command,) = told.json()["commands"]
    assert (command["intent"], command["slots"]) == ("HassTurnOff", {"name": "lamp"})
    ((stage, tenant, request),) = streams.asked
    assert (stage, tenant, request.messages[-1].area) == ("nlu", "blue", "kitchen")
    assert request.shape.key == "blue/kitchen"


def test_an_answer_comes_whole_or_an_event_for_each_sentence(client: Callable[..., Any]) -> None:
    whole = client("/v1/answer", json={"text": "why"}).json()
    told = {"text": "You asked why. That is all.", "done": True}
    assert whole == told | {"title": "the manual", "place": "page 3"}
    streamed = client("/v1/answer", json={"text": "why"}, headers={"Accept": "text/event-stream"})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    events = [json.loads(one.removeprefix("data: ")) for one in streamed.text.split("\n\n")[:-1]]
    assert [(one["text"], one["more"]) for one in events] == [
        ("You asked why.", True),
        ("That is all.", False),
    ]


def test_what_documents_say_somewhere_is_summarised(client: Callable[..., Any]) -> None:
    told = client("/v1/summarise", json={"name": "the manual", "words": 40})
    reply = told.json()
    assert (reply["text"], reply["done"]) == ("the manual in 40 words.", True)
    assert client("/v1/summarise", json={"name": ""}).status_code == 422
    assert client("/v1/summarise", json={"text": "the manual"}).status_code == 422


def test_a_text_is_spoken_as_a_file(client: Callable[..., Any]) -> None:
    told = client("/v1/speak", json={"text": "hello"})
    assert told.headers["content-type"] == "audio/wav"
    with wave.open(BytesIO(told.content)) as sound:
        assert (sound.getframerate(), sound.getnframes()) == (8_000, 10)
    silent = client("/v1/speak", json={"text": "!"})
    assert (silent.status_code, silent.json()["code"]) == (500, "voice.nothing")


def test_what_there_may_be_no_time_for_is_asked_in_a_lighter_form_too(
    client: Callable[..., Any], streams: Streams
) -> None:
    client("/v1/answer", json={"text": "why"})
    ((_, _, request),) = streams.asked
    (whole,), (lighter,) = request.messages, request.lighter
    assert (whole.wording, lighter.wording) == ("", "none")
    assert lighter.text == whole.text


def test_an_answer_that_breaks_off_says_so_to_either(client: Callable[..., Any]) -> None:
    assert client("/v1/answer", json={"text": "fail"}).json()["code"] == "answer.broken"
    streamed = client("/v1/answer", json={"text": "fail"}, headers={"Accept": "text/event-stream"})
    assert 'event: error\ndata: {"code":"answer.broken"' in streamed.text


def test_a_sound_is_heard_and_interpreted(client: Callable[..., Any], streams: Streams) -> None:
    told = client("/v1/hear?area=hall", content=sound(1.0))
    assert told.status_code == 200
    assert (told.json()["transcript"], told.json()["commands"][0]["intent"]) == (
        "lights out",
        "HassTurnOff",
    )
    (_, _, heard), (_, _, meant) = streams.asked
    chunks = [message for message in heard.messages if isinstance(message, AudioChunk)]
    assert sum(len(chunk.samples) for chunk in chunks) >= 32_000
    assert [chunk.sequence for chunk in chunks] == list(range(len(chunks)))
    assert {message.area for message in heard.messages} == {"hall"}
    assert len(meant.messages) == 1


def test_a_sound_is_heard_without_its_meaning_where_that_is_wished(
    client: Callable[..., Any], streams: Streams
) -> None:
    told = client("/v1/hear?intents=false", content=sound(1.0)).json()
    assert (told["transcript"], told["commands"]) == ("lights out", [])
    assert [word["start_s"] for word in told["words"]] == [0.25, 0.5]
    assert [stage for stage, *_ in streams.asked] == ["asr"]


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"", "is empty"), (b"nonsense", "is not audio"), (sound(61.0), "longer than 60 s")],
)
def test_what_is_no_sound_is_refused(
    client: Callable[..., Any], streams: Streams, content: bytes, told: str
) -> None:
    refused = client("/v1/hear", content=content)
    assert refused.status_code == 422
    assert refused.json()["message"].find(told) == 0 or told in refused.json()["message"]
    assert streams.asked == []


@pytest.mark.parametrize("tenant", ["", "no key", hash_of(KEYS["red"])])
@pytest.mark.parametrize("path", ["/v1/interpret", "/v1/answer", "/v1/hear", "/v1/models"])
def test_without_a_tenants_key_nothing_is_served(
    client: Callable[..., Any], streams: Streams, path: str, tenant: str
) -> None:
    more = {} if path == "/v1/models" else {"json": {"text": "lamp off"}}
    refused = client(path, tenant, **more)
    assert (refused.status_code, refused.json()["code"]) == (401, "hub.key")
    assert streams.asked == []


def test_who_asks_too_often_waits_and_holds_up_nobody_else(client: Callable[..., Any]) -> None:
    asked = [client("/v1/interpret", "red", json={"text": "lamp off"}) for _ in range(6)]
    assert [one.status_code for one in asked] == [200] * 5 + [429]
    assert asked[-1].headers["retry-after"] == "1"
    assert client("/v1/interpret", "blue", json={"text": "lamp off"}).status_code == 200


def test_bodies_are_bounded_whether_their_size_is_announced_or_not(
    client: Callable[..., Any], streams: Streams
) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(9):
            yield bytes(MOST_BYTES // 8)

    assert client("/v1/hear", content=bytes(MOST_BYTES + 1)).status_code == 413
    assert client("/v1/hear", content=pieces()).json()["code"] == "hub.size"
    text = client("/v1/interpret", content=pieces(), headers={"Content-Type": "application/json"})
    assert text.status_code == 413
    assert streams.asked == []


@pytest.mark.parametrize(("path", "kind"), [("hear", "audio/wav"), ("answer", "application/json")])
def test_who_goes_in_the_midst_of_its_request_is_no_fault(
    streams: Streams, path: str, kind: str
) -> None:
    """Nothing is raised, which would be logged as a fault, and it counts as what it is."""
    service = Service(streams, TENANTS, lambda: [], clock=lambda: 100.0)
    events = iter(
        [{"type": "http.request", "body": b"RIFF", "more_body": True}, {"type": "http.disconnect"}]
    )
    sent = []

    async def receive() -> dict[str, Any]:
        return next(events)

    async def send(event: Any) -> None:
        sent.append(event.get("status"))

    headers = {"authorization": f"Bearer {KEYS['red']}", "content-type": kind}
    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/v1/{path}",
        "raw_path": f"/v1/{path}".encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(application(service)(scope, receive, send))
    assert sent == [499, None]
    assert not streams.asked
    assert f'path="/v1/{path}",status="499"}} 1' in service.figures.exposition({})


@pytest.mark.parametrize(
    "body", [{}, {"text": ""}, {"text": "x" * 5_001}, {"text": "a", "b": 1}, {"text": 3}]
)
def test_what_the_schema_does_not_allow_is_refused(
    client: Callable[..., Any], streams: Streams, body: dict[str, Any]
) -> None:
    assert client("/v1/interpret", json=body).status_code == 422
    assert streams.asked == []


@pytest.mark.parametrize("path", ["interpret", "answer", "summarise", "speak"])
@pytest.mark.parametrize(
    "body",
    [
        '{"text": "secret \\ud800", "name": "secret \\ud800"}',
        '{"text": "a", "name": "a", "budget_s": NaN}',
        '{"text": "a", "name": "a", "budget_s": 1e999}',
        '{"text": "a", "name": "a", "words": 1e999}',
        json.dumps({f"secret{number}": "" for number in range(5_000)}),
        '{"text": ' + "[" * 20_000 + "]" * 20_000 + "}",
        '{"budget_s": ' + "9" * 5_000 + "}",
        "secret",
    ],
)
def test_what_cannot_be_is_refused_in_one_short_line(
    client: Callable[..., Any], streams: Streams, path: str, body: str
) -> None:
    refused = client(f"/v1/{path}", content=body, headers={"Content-Type": "application/json"})
    assert refused.status_code == 422
    assert refused.json().keys() == {"code", "message"}
    assert len(refused.text) < 500
    assert "secret" not in refused.text
    assert "\n" not in refused.text
    assert streams.asked == []


@pytest.mark.parametrize("path", ["/v1/hear?intents=secret", "/v1/hear?area=" + "secret" * 50])
def test_so_is_a_parameter(client: Callable[..., Any], path: str) -> None:
    refused = client(path, content=sound(1.0))
    assert refused.status_code == 422
    assert refused.json()["code"] == "hub.request"
    assert "secret" not in refused.text


def test_what_is_no_call_is_told_in_the_same_form(client: Callable[..., Any]) -> None:
    for path, status in (("/v1/secret", 404), ("/v1/interpret", 405)):
        refused = client(path)
        assert refused.status_code == status
        assert refused.json().keys() == {"code", "message"}
        assert "secret" not in refused.text


def asked(service: Service, headers: dict[str, str], *bodies: bytes) -> tuple[list[Any], int]:
    """What an unfinished request is answered, and how many parts of its body were read."""
    sent, read = [], 0

    async def receive() -> dict[str, Any]:
        nonlocal read
        read += 1
        if read > len(bodies):
            await asyncio.Event().wait()
        return {"type": "http.request", "body": bodies[read - 1], "more_body": True}

    async def send(event: Any) -> None:
        sent.append(event)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/interpret",
        "raw_path": b"/v1/interpret",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(application(service)(scope, receive, send))
    return sent, read


def test_a_stranger_is_refused_before_its_body_is_read(streams: Streams) -> None:
    service = Service(streams, TENANTS, lambda: [], clock=lambda: 100.0)
    sent, read = asked(service, {"content-type": "application/json"}, bytes(1_000_000))
    assert (sent[0]["status"], read) == (401, 0)
    assert (b"connection", b"close") in sent[0]["headers"]


def test_a_body_that_does_not_come_is_not_waited_for(
    streams: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "BODY_S", 0.05)
    service = Service(streams, TENANTS, lambda: [], clock=lambda: 100.0)
    given = {"authorization": f"Bearer {KEYS['red']}", "content-type": "application/json"}
    sent, _ = asked(service, given, b'{"text": ')
    assert sent[0]["status"] == 408
    assert b"hub.slow" in sent[1]["body"]


def test_what_fails_has_its_code_and_a_busy_hub_says_so(client: Callable[..., Any]) -> None:
    failed = client("/v1/interpret", json={"text": "fail"})
    assert (failed.status_code, failed.json()["code"]) == (500, "nlu.internal")
    busy = client("/v1/interpret", json={"text": "busy"})
    assert (busy.status_code, busy.json()["message"]) == (503, BUSY_REPLY)


def test_its_state_and_its_counts_are_told_without_a_key(
    client: Callable[..., Any], streams: Streams
) -> None:
    assert client("/healthz", "").text == "ok"
    assert client("/readyz", "").status_code == 200
    streams.is_ready = False
    assert client("/readyz", "").status_code == 503
    client("/v1/interpret", json={"text": "lamp off"})
    client("/v1/secret-name", json={"text": "lamp off"})
    told = client("/metrics", "").text
    assert 'hark_hub_requests_total{path="/v1/interpret",status="200"} 1' in told
    assert 'hark_hub_requests_total{path="other",status="404"} 1' in told
    assert "secret" not in told


def test_the_models_are_listed_and_the_schema_names_every_call(client: Callable[..., Any]) -> None:
    listed = {"name": "intent", "version": "3", "state": "shipped", "on_trial": "4"}
    assert client("/v1/models").json() == [listed]
    assert set(client("/openapi.json", "").json()["paths"]) == {
        *("/v1/interpret", "/v1/answer", "/v1/summarise", "/v1/speak", "/v1/hear", "/v1/models"),
        *("/healthz", "/readyz", "/metrics"),
    }


def test_no_text_is_logged(client: Callable[..., Any], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client("/v1/interpret", json={"text": "xylophone"})
    client("/v1/answer", json={"text": "xylophone"})
    client("/v1/interpret", json={"text": "fail"})
    assert "xylophone" not in caplog.text
