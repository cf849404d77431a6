"""Where traces are collected: what cannot be sent is dropped and counted, and nothing waits."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading

import httpcore2
import msgspec

from assistant.bridge.authorities import trusting
from assistant.bridge.complaints import Complaints
from assistant.bridge.local import local_addresses
from assistant.bridge.network.pinned import FAULTS, Pinned, why
from assistant.core.errors import UNDECODABLE, BridgeError, ConfigError
from assistant.core.network.origin import split
from assistant.core.settings.history import TracesSettings

MOST_WAITING = 256
"""Most traces that wait to be sent."""
BATCH = 32
"""Most traces in a request."""
ANSWER_S = 10.0
"""Most seconds for a request and its answer."""
LARGEST_ANSWER_BYTES = 65_536
GOODBYE_S = 1.0
ACCEPTED = range(200, 300)
_HEADERS = {
    "Content-Type": "application/json",
    "Accept-Encoding": "identity",
    "Connection": "close",
    "User-Agent": "hark",
}

log = logging.getLogger(__name__)


class _Export(msgspec.Struct, frozen=True, rename="camel"):
    """The lines of several traces as one request."""

    resource_spans: list[msgspec.Raw]


class _Partial(msgspec.Struct, frozen=True, rename="camel"):
    rejected_spans: str | int = 0


class _Answer(msgspec.Struct, frozen=True, rename="camel"):
    """What a collector answers."""

    partial_success: _Partial = _Partial()


class Collector:
    """Sends traces to the collector that the settings name, by a thread of its own.

    Each is sent once: while the collector is away they are dropped. Raises `ConfigError` for an
    endpoint that is none.
    """

    def __init__(self, settings: TracesSettings) -> None:
        try:
            self._origin, self._target = split(settings.endpoint)
        except ValueError as error:
            raise ConfigError("config.invalid", f"traces.endpoint: {error}") from error
        self._tls = None
        if self._origin.scheme == "https":
            self._tls = trusting(settings.ca_file, "traces.ca_file")
        self._waiting = queue.Queue[str](MOST_WAITING)
        self._complaints = Complaints(log)
        self.sent = self.dropped = 0
        """Traces that the collector took, and those that it did not."""
        self._counting = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="collector", daemon=True)
        self._thread.start()

    def forward(self, export: str) -> None:
        """Have a line of OTLP's JSON sent, or drop it where too many wait; never blocks."""
        try:
            self._waiting.put_nowait(export)
        except queue.Full:
            self._drop(1, f"{self._origin} takes them too slowly")

    def close(self) -> None:
        """Send no more."""
        self._closed = True
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait("")  # it waits for one
        self._thread.join(GOODBYE_S)

    def _run(self) -> None:
        while not self._closed:
            batch = [self._waiting.get()]
            while len(batch) < BATCH and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            if not self._closed:
                self._send(batch)

    def _send(self, batch: list[str]) -> None:
        try:
            lines = [msgspec.json.decode(export, type=_Export) for export in batch]
            spans = [one for line in lines for one in line.resource_spans]
            asyncio.run(self._exchange(msgspec.json.encode(_Export(resource_spans=spans))))
        except BridgeError as error:
            self._drop(len(batch), error.message)
        except UNDECODABLE:
            self._drop(len(batch), "the daemon sends what is no trace")
        else:
            self.sent += len(batch)

    def _drop(self, traces: int, reason: str) -> None:
        with self._counting:
            dropped = self.dropped + traces
            told = f"{reason}; {dropped} traces were not sent since the start"
            self._complaints.of("traces.dropped", told)
            self.dropped = dropped  # whoever sees the count finds it told

    async def _exchange(self, body: bytes) -> None:
        """Send a request; raises `BridgeError` where it is not taken whole."""
        origin = self._origin
        try:
            async with asyncio.timeout(ANSWER_S):
                addresses = await local_addresses(origin.host, origin.port, origin)
                status, answer = await self._answered(Pinned(addresses), body)
        except TimeoutError as error:
            raise BridgeError("bridge.silent", f"{origin} does not answer in time") from error
        except FAULTS as error:
            told = f"{origin}: {why(error, 'traces.ca_file')}"
            raise BridgeError("bridge.away", told) from error
        if status not in ACCEPTED:
            message = f"{origin} refuses them: status {status}; see traces.endpoint"
            raise BridgeError("bridge.refused", message)
        if rejected := _rejected(answer):
            raise BridgeError("bridge.refused", f"{origin} refuses {rejected} spans")

    async def _answered(self, backend: Pinned, body: bytes) -> tuple[int, bytes]:
        origin = self._origin
        url = httpcore2.URL(
            scheme=origin.scheme.encode(),
            host=origin.host.encode(),
            port=origin.port,
            target=self._target.encode() or b"/",
        )
        async with (
            httpcore2.AsyncConnectionPool(self._tls, network_backend=backend) as pool,
            pool.stream("POST", url, headers=list(_HEADERS.items()), content=body) as response,
        ):
            answer = bytearray()
            async for piece in response.aiter_stream():
                answer += piece
                if len(answer) > LARGEST_ANSWER_BYTES:
                    raise BridgeError("bridge.answer", f"{origin} answers far too much")
            return response.status, bytes(answer)


def _rejected(answer: bytes) -> int:
    """How many spans an answer says were not taken; what is no JSON says nothing."""
    try:
        return int(msgspec.json.decode(answer, type=_Answer).partial_success.rejected_spans)
    except ValueError:
        return 0
