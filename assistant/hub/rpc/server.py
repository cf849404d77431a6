"""The hub's calls over gRPC: the same calls, keys, rates, sizes and faults as over HTTP.

Each call is a coroutine of the event loop that the gateway runs in; where its caller goes away,
it is cancelled, and with it the request to the stage.
"""

from __future__ import annotations

import math
from asyncio import CancelledError, timeout, to_thread
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any, NamedTuple

import grpc
from grpc import StatusCode, aio

from assistant.control.traces.context import HEADER
from assistant.core.errors import AssistantError, InputError
from assistant.core.messages import Question
from assistant.hub import calls
from assistant.hub.doors import RateError, key_in
from assistant.hub.rpc.messages import (
    CLASSES,
    HEALTH,
    HUB,
    checked,
    message_in,
    message_of,
    validated,
)
from assistant.hub.schema import (
    Call,
    InterpretReply,
    Sentence,
    SummariseRequest,
    TextRequest,
    WordModel,
)
from assistant.hub.service import (
    BROKEN,
    BUSY,
    FORBIDDEN,
    GONE,
    LATE,
    LONGEST_S,
    MOST_BYTES,
    STRANGE,
    TOO_OFTEN,
    UNUSABLE,
    Service,
    status_of,
)

CODES: Mapping[int, StatusCode] = {
    STRANGE: StatusCode.UNAUTHENTICATED,
    FORBIDDEN: StatusCode.PERMISSION_DENIED,
    UNUSABLE: StatusCode.INVALID_ARGUMENT,
    TOO_OFTEN: StatusCode.RESOURCE_EXHAUSTED,
    BROKEN: StatusCode.INTERNAL,
    BUSY: StatusCode.UNAVAILABLE,
    LATE: StatusCode.DEADLINE_EXCEEDED,
}
"""Status as HTTP has it → gRPC's."""
SERVED = 200
"""Status of a call that is served."""
FAULT = "hark-code"
"""Trailing metadata with the code of a fault."""
PUSHBACK = "grpc-retry-pushback-ms"
SERVING, NOT_SERVING = 1, 2
OPTIONS = (
    ("grpc.max_receive_message_length", MOST_BYTES),
    # Else a second hub would share the port.
    ("grpc.so_reuseport", 0),
    # Who says nothing holds no connection.
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 300_000),
)


class Certificate(NamedTuple):
    """By what the hub is known, in PEM."""

    chain: bytes
    key: bytes


class Calls:
    """The calls of a service, each by the name that `hub.proto` gives it."""

    def __init__(self, service: Service) -> None:
        self._service, self._streams = service, service.streams

    async def interpret(self, tenant: str, request: Any, within_s: float) -> Any:
        """What a text means; `within_s` is what the caller's deadline leaves."""
        asked = checked(request, TextRequest)
        said, budget_s = calls.text_of(asked.text, asked.area), min(asked.budget_s, within_s)
        meant = await calls.interpret(self._streams, tenant, said, budget_s)
        return message_of("InterpretReply", InterpretReply.of(meant))

    def answer(self, tenant: str, request: Any, within_s: float) -> AsyncGenerator[Any, None]:
        """An answer from the documents."""
        asked = checked(request, TextRequest)
        question = calls.question_of(asked.text, asked.area)
        return self._told(tenant, question, min(asked.budget_s, within_s))

    def summarise(self, tenant: str, request: Any, within_s: float) -> AsyncGenerator[Any, None]:
        """A summary of what the documents say somewhere."""
        asked = checked(request, SummariseRequest)
        wish = calls.summary_of(asked.name, asked.words, asked.area)
        return self._told(tenant, wish, min(asked.budget_s, within_s))

    async def speak(self, tenant: str, request: Any, within_s: float) -> Any:
        """A text that is spoken."""
        asked = checked(request, TextRequest)
        budget_s = min(asked.budget_s, within_s)
        sound = await calls.speak(self._streams, tenant, asked.text, budget_s)
        return CLASSES["Sound"](wav=sound)

    async def hear(self, tenant: str, request: Any, within_s: float) -> Any:
        """What is said in a sound, and what it means."""
        area = validated({"area": request.area}, Call).area
        chunks = await to_thread(calls.sound_of, request.sound, area)
        said = await calls.hear(self._streams, tenant, chunks, within_s)
        words = [message_of("Word", WordModel.of(word)) for word in said.words]
        reply = CLASSES["HearReply"](
            transcript=said.text, transcript_confidence=said.confidence, words=words
        )
        if request.intents or not request.HasField("intents"):
            meant = await calls.interpret(self._streams, tenant, said, within_s)
            reply.meaning.CopyFrom(message_of("InterpretReply", InterpretReply.of(meant)))
        return reply

    async def models(self, tenant: str, request: Any, within_s: float) -> Any:
        """The models of the hub."""
        models = [message_of("Model", model) for model in self._service.models()]
        return CLASSES["ModelsReply"](models=models)

    async def _told(
        self, tenant: str, asked: Question, budget_s: float
    ) -> AsyncGenerator[Any, None]:
        sentences = calls.answer(self._streams, tenant, asked, budget_s)
        async with aclosing(sentences):
            async for reply in sentences:
                yield message_of("Sentence", Sentence.of(reply))


class RpcServer:
    """The calls of a service at an address, from `start` to `stop`.

    At most `most_calls` at a time: further ones are told RESOURCE_EXHAUSTED.
    """

    def __init__(
        self,
        service: Service,
        address: str,
        most_calls: int,
        certificate: Certificate | None = None,
    ) -> None:
        self._service, self._address, self._most_calls = service, address, most_calls
        self._certificate = certificate

    async def start(self) -> int:
        """Serve in the event loop that runs; gives the port.

        Raises `RuntimeError` where the address is taken.
        """
        self._server = aio.server(options=OPTIONS, maximum_concurrent_rpcs=self._most_calls)
        self._server.add_generic_rpc_handlers((self._calls(), self._health()))
        if self._certificate is None:
            port = self._server.add_insecure_port(self._address)
        else:
            pairs = [(self._certificate.key, self._certificate.chain)]
            credentials = grpc.ssl_server_credentials(pairs)
            port = self._server.add_secure_port(self._address, credentials)
        await self._server.start()
        return int(port)

    async def stop(self, grace_s: float) -> None:
        """Take no more calls, and end those that take longer than `grace_s`."""
        await self._server.stop(grace_s)

    def _calls(self) -> grpc.GenericRpcHandler:
        served = Calls(self._service)
        made = {
            "Interpret": self._single(served.interpret, "Interpret", "TextRequest"),
            "Answer": self._streamed(served.answer, "Answer", "TextRequest"),
            "Summarise": self._streamed(served.summarise, "Summarise", "SummariseRequest"),
            "Speak": self._single(served.speak, "Speak", "TextRequest"),
            "Hear": self._single(served.hear, "Hear", "HearRequest"),
            "Models": self._single(served.models, "Models", "ModelsRequest"),
        }
        return grpc.method_handlers_generic_handler(f"{HUB}.Hub", made)

    def _health(self) -> grpc.GenericRpcHandler:
        async def check(request: Any, context: Any) -> Any:
            if request.service not in ("", f"{HUB}.Hub"):
                await context.abort(StatusCode.NOT_FOUND, "there is no such service here")
            is_ready = await self._service.streams.ready()
            return CLASSES["HealthCheckResponse"](status=SERVING if is_ready else NOT_SERVING)

        handler = grpc.unary_unary_rpc_method_handler(
            check, CLASSES["HealthCheckRequest"].FromString, _bytes
        )
        return grpc.method_handlers_generic_handler(f"{HEALTH}.Health", {"Check": handler})

    def _single(
        self, call: Callable[[str, Any, float], Awaitable[Any]], name: str, takes: str
    ) -> grpc.RpcMethodHandler:
        async def handler(request: Any, context: Any) -> Any:
            async with self._called(name, context) as tenant:
                return await call(tenant, _whole(request), _left_s(context))

        return grpc.unary_unary_rpc_method_handler(handler, partial(message_in, takes), _bytes)

    def _streamed(
        self, call: Callable[[str, Any, float], AsyncGenerator[Any, None]], name: str, takes: str
    ) -> grpc.RpcMethodHandler:
        async def handler(request: Any, context: Any) -> None:
            async with (
                self._called(name, context) as tenant,
                aclosing(call(tenant, _whole(request), _left_s(context))) as messages,
            ):
                async for message in messages:
                    await context.write(message)

        return grpc.unary_stream_rpc_method_handler(handler, partial(message_in, takes), _bytes)

    @asynccontextmanager
    async def _called(self, name: str, context: Any) -> AsyncIterator[str]:
        """Watch a call, and give its tenant; what it raises is told as gRPC's status."""
        given = dict(context.invocation_metadata())
        with self._service.watch.call(f"/{HUB}.Hub/{name}", given.get(HEADER, "")) as call:
            try:
                key = key_in(given.get("authorization", ""))
                tenant = self._service.doors.let_in(key, name.lower())
                async with timeout(LONGEST_S):
                    yield tenant
                call.status = SERVED
            except AssistantError as error:
                call.status = status_of(error)
                await _refuse(context, call.status, error)
            except TimeoutError:
                call.status = LATE
                told = AssistantError("hub.late", f"it took longer than {LONGEST_S:.0f} s")
                await _refuse(context, LATE, told)
            except CancelledError:
                call.status = GONE if _left_s(context) > 0 else LATE
                raise


async def _refuse(context: Any, status: int, error: AssistantError) -> None:
    trailing = [(FAULT, error.code)]
    if isinstance(error, RateError):
        trailing.append((PUSHBACK, str(1_000 * error.wait_s)))
    await context.abort(CODES[status], error.message, tuple(trailing))


def _whole(request: Any) -> Any:
    if request is None:
        raise InputError("hub.request", "the request cannot be read")
    return request


def _left_s(context: Any) -> float:
    """Time until the caller's deadline; infinite where it has none."""
    left_s = context.time_remaining()
    return math.inf if left_s is None else left_s


def _bytes(message: Any) -> bytes:
    encoded: bytes = message.SerializeToString()
    return encoded
