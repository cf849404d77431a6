"""The hub's HTTP interface: what is said or asked in, what is meant or answered out.

`/openapi.json` is FastAPI's, of the schema; its pages of documentation are left out, as they load
scripts from elsewhere. No text that is said or answered is logged.
"""

from __future__ import annotations

from asyncio import timeout, to_thread
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Query, Request, Response, Security
from fastapi.datastructures import Headers
from fastapi.exceptions import HTTPException, RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from fastapi.security import HTTPBearer

from assistant.core.errors import AssistantError
from assistant.core.messages import Question
from assistant.hub.bounds import BoundedBodies, Event, Receive, Send, Watched
from assistant.hub.calls import (
    answer,
    hear,
    interpret,
    question_of,
    sound_of,
    speak,
    summary_of,
    text_of,
)
from assistant.hub.doors import RateError, StrangerError, key_in
from assistant.hub.schema import (
    AnswerReply,
    HearReply,
    InterpretReply,
    ModelState,
    Problem,
    Sentence,
    SummariseRequest,
    TextRequest,
    flaws,
)
from assistant.hub.service import (
    BUSY,
    LATE,
    LONGEST_S,
    MOST_BYTES,
    UNUSABLE,
    Service,
    status_of,
)

EVENTS, BELOW = "text/event-stream", "/v1"
_BEARER = HTTPBearer(auto_error=False, description="A tenant's key.")
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (401, 403, 408, 413, 422, 429, 503)
}


class Gateway:
    """The calls of a service over HTTP."""

    def __init__(self, service: Service) -> None:
        self._service, self._streams = service, service.streams

    def let_in(self, path: str, headers: Headers) -> str:
        """The tenant of a request by its headers; raises as `Doors.let_in`."""
        key = key_in(headers.get("authorization", ""))
        return self._service.doors.let_in(key, path.removeprefix(f"{BELOW}/"))

    async def interpret(self, request: Request, asked: TextRequest) -> InterpretReply:
        """What a text means."""
        async with timeout(LONGEST_S):
            said = text_of(asked.text, asked.area)
            tenant = request.state.tenant
            return InterpretReply.of(await interpret(self._streams, tenant, said, asked.budget_s))

    async def answer(self, request: Request, asked: TextRequest) -> Response:
        """An answer from the tenant's documents: whole as JSON, or, where `Accept` says
        text/event-stream, an event for each sentence."""
        return await self._told(request, question_of(asked.text, asked.area), asked.budget_s)

    async def summarise(self, request: Request, asked: SummariseRequest) -> Response:
        """A summary of what the tenant's documents say somewhere, in the same forms."""
        wish = summary_of(asked.name, asked.words, asked.area)
        return await self._told(request, wish, asked.budget_s)

    async def speak(self, request: Request, asked: TextRequest) -> Response:
        """A text that is spoken, as a WAV file."""
        async with timeout(LONGEST_S):
            tenant = request.state.tenant
            sound = await speak(self._streams, tenant, asked.text, asked.budget_s)
        return Response(sound, media_type="audio/wav")

    async def _told(self, request: Request, asked: Question, budget_s: float) -> Response:
        sentences = answer(self._streams, request.state.tenant, asked, budget_s)
        replies = (Sentence.of(reply) async for reply in sentences)
        if EVENTS in request.headers.get("accept", ""):
            async with timeout(LONGEST_S):
                first = await anext(replies)  # so that a refusal still has its status
            return StreamingResponse(_events(first, replies), media_type=EVENTS)
        async with timeout(LONGEST_S):
            every = [sentence async for sentence in replies]
        return JSONResponse(AnswerReply.of(every).model_dump())

    async def hear(
        self,
        request: Request,
        area: Annotated[str, Query(max_length=200)] = "",
        intents: bool = True,
    ) -> HearReply:
        """What is said in a WAV or FLAC file, which is the body, and what it means."""
        tenant = request.state.tenant
        async with timeout(LONGEST_S):
            chunks = await to_thread(sound_of, await request.body(), area)
            said = await hear(self._streams, tenant, chunks)
            meant = await interpret(self._streams, tenant, said) if intents else None
            return HearReply.heard(said, meant)

    async def models(self) -> list[ModelState]:
        """The models of the hub, and which version of each is in use."""
        return list(self._service.models())

    async def healthz(self) -> str:
        """Whether the gateway runs."""
        return "ok"

    async def readyz(self) -> Response:
        """Whether every stage has a worker that serves."""
        if await self._streams.ready():
            return PlainTextResponse("ready")
        return PlainTextResponse("a stage has no worker that serves", 503)

    async def metrics(self) -> str:
        """How the calls went, in Prometheus's text format."""
        return self._service.figures.exposition(await self._streams.loads())


def application(service: Service) -> Watched:
    """The gateway as an ASGI application."""
    calls = Gateway(service)
    app = FastAPI(title="Hark hub", version="1", docs_url=None, redoc_url=None)
    inside = APIRouter(prefix=BELOW, dependencies=[Security(_BEARER)], responses=_PROBLEMS)
    inside.add_api_route("/interpret", calls.interpret, methods=["POST"])
    inside.add_api_route("/answer", calls.answer, methods=["POST"], response_model=AnswerReply)
    inside.add_api_route(
        "/summarise", calls.summarise, methods=["POST"], response_model=AnswerReply
    )
    inside.add_api_route("/speak", calls.speak, methods=["POST"], responses=_SPOKEN)
    inside.add_api_route("/hear", calls.hear, methods=["POST"], openapi_extra=_SOUND)
    inside.add_api_route("/models", calls.models, methods=["GET"])
    app.include_router(inside)
    plain = {"response_class": PlainTextResponse, "methods": ["GET"]}
    app.add_api_route("/healthz", calls.healthz, **plain)
    app.add_api_route("/readyz", calls.readyz, **plain)
    app.add_exception_handler(AssistantError, _refused)
    app.add_exception_handler(TimeoutError, _late)
    app.add_api_route("/metrics", calls.metrics, **plain)
    app.add_exception_handler(RequestValidationError, _unusable)
    for status in (400, 404, 405):
        app.add_exception_handler(status, _unknown)
    paths = frozenset(app.openapi()["paths"])
    guarded = frozenset(path for path in paths if path.startswith(f"{BELOW}/"))

    async def keyed(scope: Event, receive: Receive, send: Send) -> None:
        """Judge the key before anything of the body is read."""
        if scope["type"] == "http" and scope["path"] in guarded:
            try:
                tenant = calls.let_in(scope["path"], Headers(scope=scope))
            except AssistantError as error:
                refusal = await _refused(Request(scope), error)
                refusal.headers["Connection"] = "close"
                await refusal(scope, receive, send)
                return
            scope.setdefault("state", {})["tenant"] = tenant
        await bodies(scope, receive, send)

    bodies = BoundedBodies(app, MOST_BYTES, {f"{BELOW}/hear"})
    return Watched(keyed, paths, service.watch)


_SPOKEN: dict[int | str, dict[str, Any]] = {
    200: {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}}
}
_SOUND: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in ("audio/wav", "audio/flac")
        },
    }
}


async def _events(first: Sentence, others: AsyncIterator[Sentence]) -> AsyncIterator[str]:
    """Server-sent events of the sentences; one named "error" where they break off."""
    yield f"data: {first.model_dump_json()}\n\n"
    try:
        async with timeout(LONGEST_S):
            async for sentence in others:
                yield f"data: {sentence.model_dump_json()}\n\n"
    except (AssistantError, TimeoutError) as error:
        code = error.code if isinstance(error, AssistantError) else "hub.late"
        problem = Problem(code=code, message="the answer breaks off here")
        yield f"event: error\ndata: {problem.model_dump_json()}\n\n"


async def _refused(request: Request, error: AssistantError) -> Response:
    problem, status = Problem(code=error.code, message=error.message), status_of(error)
    headers = {}
    match error:
        case StrangerError():
            headers["WWW-Authenticate"] = "Bearer"
        case RateError(wait_s=wait_s):
            headers["Retry-After"] = str(wait_s)
        case _ if status == BUSY:
            headers["Retry-After"] = "1"
    return JSONResponse(problem.model_dump(), status, headers)


async def _unusable(request: Request, error: RequestValidationError) -> Response:
    return JSONResponse(
        Problem(code="hub.request", message=flaws(error.errors())).model_dump(), UNUSABLE
    )


async def _unknown(request: Request, error: HTTPException) -> Response:
    """What is no call here, or a body that is not even JSON, of which Starlette makes a 400."""
    status = UNUSABLE if error.status_code == 400 else error.status_code
    told = "the body cannot be read" if status == UNUSABLE else "there is no such call here"
    problem = Problem(code="hub.request", message=told)
    return JSONResponse(problem.model_dump(), status, error.headers)


async def _late(request: Request, error: TimeoutError) -> Response:
    problem = Problem(code="hub.late", message=f"it took longer than {LONGEST_S:.0f} s")
    return JSONResponse(problem.model_dump(), LATE)
