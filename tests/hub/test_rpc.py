"""The hub's calls over gRPC and TLS, as a client of gRPC's own sees them."""

from __future__ import annotations

import asyncio
import re
import threading
import wave
from collections.abc import AsyncGenerator, Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra hub is not installed")
pytest.importorskip("fastapi", reason="the extra hub is not installed")
pytest.importorskip("httpx", reason="the test client of the extra hub is not installed")

import grpc
from fastapi.testclient import TestClient
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.json_format import MessageToDict

from assistant.core.messages import Message
from assistant.hub.gateway import application
from assistant.hub.observation.watch import CallRecord
from assistant.hub.rpc.messages import CLASSES, DESCRIPTOR
from assistant.hub.rpc.server import Certificate, RpcServer
from assistant.hub.schema import ModelState
from assistant.hub.service import MOST_BYTES, Service
from assistant.hub.tenants import hash_of
from assistant.pool.admission import BUSY_REPLY
from assistant.pool.requests import PoolRequest
from tests.support.authority import Authority
from tests.support.hub_streams import KEYS, TENANTS, Streams, sound

HUB = "hark.hub.v1.Hub"
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
WAIT_S = 60.0


class Stalling(Streams):
    """Says nothing to "wait", and knows when nobody waits for that any more."""

    def __init__(self) -> None:
        super().__init__()
        self.budgets_s: list[float] = []
        self.asked_to_wait, self.left = threading.Event(), threading.Event()

    async def stream(
        self, stage: str, request: PoolRequest, budget_s: float = 0.0, tenant: str = ""
    ) -> AsyncGenerator[Message, None]:
        self.budgets_s.append(budget_s)
        if getattr(request.messages[-1], "text", "") == "wait":
            self.asked_to_wait.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.left.set()
        async for message in super().stream(stage, request, budget_s, tenant):
            yield message


STREAMED = ("Answer", "Summarise")
HALF = b"\x0a\x03\xed\xa0\x80"
"""A message whose first field is a lone surrogate."""


class Client:
    """Calls by a tenant's key over an encrypted channel."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel

    def ask(self, name: str, request: Any, gives: str, tenant: str = "red", **more: str) -> Any:
        given = {"authorization": f"Bearer {KEYS.get(tenant, tenant)}"} if tenant else {}
        call = self.channel.unary_unary(f"/{HUB}/{name}", _bytes, CLASSES[gives].FromString)
        return call(request, metadata=tuple((given | more).items()), timeout=WAIT_S)

    def told(self, name: str, request: Any) -> Any:
        given = (("authorization", f"Bearer {KEYS['red']}"),)
        call = self.channel.unary_stream(f"/{HUB}/{name}", _bytes, CLASSES["Sentence"].FromString)
        return call(request, metadata=given, timeout=WAIT_S)

    def interpret(self, tenant: str = "red", **fields: Any) -> Any:
        return self.ask("Interpret", CLASSES["TextRequest"](**fields), "InterpretReply", tenant)

    def refusal(self, call: Callable[[], Any]) -> tuple[grpc.StatusCode, str]:
        """The status of a call and the code of its fault."""
        with pytest.raises(grpc.RpcError) as raised:
            call()
        error: Any = raised.value
        return error.code(), dict(error.trailing_metadata()).get("hark-code", "")


def _bytes(message: Any) -> bytes:
    encoded: bytes = message.SerializeToString()
    return encoded


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Certificate]:
    """An authority's certificate, and the server's that it has signed."""
    authority = Authority(tmp_path_factory.mktemp("tls") / "ca")
    chain, key = authority.sign("IP:127.0.0.1")
    return authority.file.read_bytes(), Certificate(chain.read_bytes(), key.read_bytes())


@pytest.fixture
def streams() -> Stalling:
    return Stalling()


@pytest.fixture
def calls() -> list[CallRecord]:
    return []


@pytest.fixture
def service(streams: Stalling, calls: list[CallRecord]) -> Service:
    models = [ModelState(name="intent", version="3", state="shipped", on_trial="4")]
    return Service(streams, TENANTS, lambda: models, lambda: 100.0, (calls.append,))


@pytest.fixture
def port(service: Service, pair: tuple[bytes, Certificate]) -> Iterator[int]:
    """Where the service takes calls."""
    loop = asyncio.new_event_loop()
    running = threading.Thread(target=loop.run_forever)
    running.start()
    server = RpcServer(service, "127.0.0.1:0", 100, pair[1])
    yield asyncio.run_coroutine_threadsafe(server.start(), loop).result(WAIT_S)
    asyncio.run_coroutine_threadsafe(server.stop(0), loop).result(WAIT_S)
    loop.call_soon_threadsafe(loop.stop)
    running.join()
    loop.close()


@pytest.fixture
def client(port: int, pair: tuple[bytes, Certificate]) -> Iterator[Client]:
    credentials = grpc.ssl_channel_credentials(pair[0])
    with grpc.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
        yield Client(channel)


def test_a_text_is_interpreted_for_its_tenant(client: Client, streams: Stalling) -> None:
    told = MessageToDict(client.interpret("blue", text="lamp off", area="kitchen"))
    (command,) = told["commands"]
    assert (command["intent"], command["slots"]) == ("HassTurnOff", {"name": "lamp"})
    ((stage, tenant, request),) = streams.asked
    assert (stage, tenant, request.messages[-1].area) == ("nlu", "blue", "kitchen")


def test_an_answer_comes_a_sentence_at_a_time(client: Client) -> None:
    told = client.told("Answer", CLASSES["TextRequest"](text="why"))
    assert [(one.text, one.more, one.title, one.place) for one in told] == [
        ("You asked why.", True, "", ""),
        ("That is all.", False, "the manual", "page 3"),
    ]


def test_what_documents_say_somewhere_is_summarised(client: Client) -> None:
    request = CLASSES["SummariseRequest"](name="the manual", words=40)
    assert [one.text for one in client.told("Summarise", request)] == ["the manual in 40 words."]


def test_a_text_is_spoken_and_a_sound_is_heard(client: Client, streams: Stalling) -> None:
    spoken = client.ask("Speak", CLASSES["TextRequest"](text="hello"), "Sound")
    with wave.open(BytesIO(spoken.wav)) as file:
        assert (file.getframerate(), file.getnframes()) == (8_000, 10)
    request = CLASSES["HearRequest"](sound=sound(1.0), area="hall")
    heard = client.ask("Hear", request, "HearReply")
    assert (heard.transcript, heard.meaning.commands[0].intent) == ("lights out", "HassTurnOff")
    assert {stage for stage, *_ in streams.asked} == {"voice", "asr", "nlu"}
    request.intents = False
    heard = client.ask("Hear", request, "HearReply")
    assert (heard.transcript, heard.HasField("meaning")) == ("lights out", False)
    assert [(word.text, word.start_s) for word in heard.words] == [("lights", 0.25), ("out", 0.5)]


def test_the_models_are_listed(client: Client) -> None:
    (model,) = client.ask("Models", CLASSES["ModelsRequest"](), "ModelsReply").models
    listed = (model.name, model.version, model.state, model.on_trial)
    assert listed == ("intent", "3", "shipped", "4")


def test_what_a_tenant_has_no_right_to_is_refused(client: Client) -> None:
    refused = client.refusal(lambda: client.interpret("grey", text="hello"))
    assert refused == (grpc.StatusCode.PERMISSION_DENIED, "hub.right")


@pytest.mark.parametrize("tenant", ["", "no key", hash_of(KEYS["red"])])
def test_without_a_tenants_key_nothing_is_served(
    client: Client, streams: Stalling, tenant: str
) -> None:
    refused = client.refusal(lambda: client.interpret(tenant, text="lamp off"))
    assert refused == (grpc.StatusCode.UNAUTHENTICATED, "hub.key")
    assert streams.asked == []


def test_rates_are_shared_with_http(client: Client, service: Service) -> None:
    headers = {"Authorization": f"Bearer {KEYS['red']}"}
    with TestClient(application(service)) as other:
        for _ in range(5):
            assert other.get("/v1/models", headers=headers).status_code == 200
    refused = client.refusal(lambda: client.interpret("red", text="lamp off"))
    assert refused == (grpc.StatusCode.RESOURCE_EXHAUSTED, "hub.rate")
    assert client.interpret("blue", text="lamp off").text == "lamp off"


def test_each_fault_has_its_status_and_its_code(client: Client) -> None:
    assert [client.refusal(lambda t=t: client.interpret(text=t)) for t in ("fail", "busy", "")] == [
        (grpc.StatusCode.INTERNAL, "nlu.internal"),
        (grpc.StatusCode.UNAVAILABLE, "pool.busy"),
        (grpc.StatusCode.INVALID_ARGUMENT, "hub.request"),
    ]
    with pytest.raises(grpc.RpcError) as busy:
        client.interpret(text="busy")
    assert busy.value.details() == BUSY_REPLY


@pytest.mark.parametrize(
    "fields", [{"text": "x" * 5_001}, {"text": "xylophone", "budget_s": 0.0}, {"area": "xylophone"}]
)
def test_what_the_schema_does_not_allow_is_named_without_its_words(
    client: Client, streams: Stalling, fields: dict[str, Any]
) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.interpret(**fields)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "xylophone" not in refused.value.details()
    assert streams.asked == []


@pytest.mark.parametrize("name", ["Interpret", "Speak", "Hear", "Models", "Answer", "Summarise"])
def test_what_is_no_message_is_an_invalid_argument(
    client: Client, streams: Stalling, name: str
) -> None:
    """Bytes that are none, and half a character, which a text may not be."""
    contents = (b"\xff\xff",) if name in ("Hear", "Models") else (b"\xff\xff", HALF)
    for content in contents:
        kind = client.channel.unary_stream if name in STREAMED else client.channel.unary_unary
        call = kind(f"/{HUB}/{name}", bytes, bytes)
        given = (("authorization", f"Bearer {KEYS['red']}"),)
        with pytest.raises(grpc.RpcError) as raised:
            list(call(content, metadata=given, timeout=WAIT_S))
        told: Any = raised.value
        assert told.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert dict(told.trailing_metadata())["hark-code"] == "hub.request"
    assert not streams.asked


@pytest.mark.parametrize("budget_s", [float("nan"), float("inf"), -1.0])
def test_a_budget_that_cannot_be_is_an_invalid_argument(client: Client, budget_s: float) -> None:
    told = client.refusal(lambda: client.interpret(text="lamp off", budget_s=budget_s))
    assert told == (grpc.StatusCode.INVALID_ARGUMENT, "hub.request")


def test_what_is_no_sound_and_what_is_too_large_is_refused(
    client: Client, streams: Stalling
) -> None:
    def hear(content: bytes) -> tuple[grpc.StatusCode, str]:
        request = CLASSES["HearRequest"](sound=content)
        return client.refusal(lambda: client.ask("Hear", request, "HearReply"))

    assert hear(b"nonsense")[0] == grpc.StatusCode.INVALID_ARGUMENT
    assert hear(bytes(MOST_BYTES + 1))[0] == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert streams.asked == []


def test_an_answer_that_breaks_off_ends_with_its_fault(client: Client) -> None:
    told, heard = client.told("Answer", CLASSES["TextRequest"](text="fail")), []
    with pytest.raises(grpc.RpcError) as broken:
        heard.extend(one.text for one in told)
    assert broken.value.code() == grpc.StatusCode.INTERNAL
    assert dict(told.trailing_metadata())["hark-code"] == "answer.broken"


def test_who_goes_away_ends_the_request_at_the_stage(
    client: Client, streams: Stalling, calls: list[CallRecord]
) -> None:
    told = client.told("Answer", CLASSES["TextRequest"](text="wait"))
    assert streams.asked_to_wait.wait(WAIT_S)
    told.cancel()
    assert streams.left.wait(WAIT_S)
    client.interpret(text="lamp off")
    assert sorted(call.status for call in calls) == [200, 499]


def test_a_call_has_no_more_budget_than_its_deadline_leaves(
    client: Client, streams: Stalling
) -> None:
    client.interpret(text="lamp off", budget_s=5.0)
    call = client.channel.unary_unary(
        f"/{HUB}/Interpret", _bytes, CLASSES["InterpretReply"].FromString
    )
    key = (("authorization", f"Bearer {KEYS['red']}"),)
    call(CLASSES["TextRequest"](text="lamp off"), metadata=key, timeout=20.0)
    assert streams.budgets_s[0] == 5.0
    assert 0.0 < streams.budgets_s[1] < 25.0  # gRPC rounds deadlines up; without one it is 30


def test_calls_are_watched_as_those_over_http_are(client: Client, calls: list[CallRecord]) -> None:
    given = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
    request = CLASSES["TextRequest"](text="lamp off")
    client.ask("Interpret", request, "InterpretReply", **given)
    (call,) = calls
    assert (call.path, call.status, call.tenant) == (f"/{HUB}/Interpret", 200, "red")
    assert call.caller is not None
    assert (call.caller.trace_id, call.caller.span_id) == (TRACE, SPAN)
    assert [asked.stage for asked in call.stages] == ["nlu"]


def test_its_health_is_told_without_a_key(client: Client, streams: Stalling) -> None:
    answers = CLASSES["HealthCheckResponse"]
    check = client.channel.unary_unary("/grpc.health.v1.Health/Check", _bytes, answers.FromString)
    for service in ("", HUB):
        assert check(CLASSES["HealthCheckRequest"](service=service)).status == answers.SERVING
    streams.is_ready = False
    assert check(CLASSES["HealthCheckRequest"]()).status == answers.NOT_SERVING
    unknown = client.refusal(lambda: check(CLASSES["HealthCheckRequest"](service="other")))
    assert unknown[0] == grpc.StatusCode.NOT_FOUND


def test_without_its_certificate_nobody_is_heard(
    port: int, pair: tuple[bytes, Certificate]
) -> None:
    with (
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
        pytest.raises(grpc.RpcError) as refused,
    ):
        Client(channel).interpret(text="lamp off")
    assert refused.value.code() == grpc.StatusCode.UNAVAILABLE


FIELD = re.compile(r"^  (?:optional |repeated )?(\w[\w.<>, ]*) (\w+) = (\d+);$", re.MULTILINE)
BLOCK = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)


def test_the_descriptor_has_the_fields_of_the_files() -> None:
    described = {
        message.name: {(field.name, field.number) for field in message.field}
        for file in FileDescriptorSet.FromString(DESCRIPTOR.read_bytes()).file
        for message in file.message_type
    }
    for file in ("hub.proto", "health.proto"):
        written = {
            name: {(field, int(number)) for _, field, number in FIELD.findall(body)}
            for name, body in BLOCK.findall((DESCRIPTOR.parent / file).read_text("utf-8"))
        }
        assert len(written) > 1
        assert {name: described[name] for name in written} == written


def test_the_descriptor_is_what_the_compiler_makes_of_the_files(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools", reason="the package grpcio-tools is not installed")
    from scripts.hub_messages import compiled

    compiled(tmp_path / "made")
    assert (tmp_path / "made").read_bytes() == DESCRIPTOR.read_bytes()
