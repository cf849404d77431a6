"""The hub itself: the pool on Ray Serve, and the gateway in this process, until SIGTERM."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import msgspec
import uvicorn

from assistant.control.traces.ring import LineRing, LoggedRing
from assistant.core.config import Config
from assistant.core.errors import InputError
from assistant.core.layout import HUB_TRACES_FOLDER, HUB_TRIALS_FILE
from assistant.core.memory import trim_heap
from assistant.core.models.trial import TrialSize
from assistant.hub.connections import BoundedConnection
from assistant.hub.gateway import application
from assistant.hub.observation.traces import CallTracer
from assistant.hub.observation.watch import CallRecord
from assistant.hub.phrases import GENERATOR
from assistant.hub.ray.pool import RayPool
from assistant.hub.ray.streams import streams_of
from assistant.hub.rollout.choice import TrialStreams
from assistant.hub.rollout.record import HubTrialFile
from assistant.hub.rollout.rollout import Rollout
from assistant.hub.rollout.versions import Versions
from assistant.hub.rpc.server import Certificate, RpcServer
from assistant.hub.schema import ModelState
from assistant.hub.service import Service
from assistant.hub.stages import makers
from assistant.hub.succession import Succession, predecessor
from assistant.hub.tenants import KnownTenants, Tenant
from assistant.hub.updates import Updates, Wish
from assistant.pool.scaling import ScalingPolicy
from assistant.supervision.sdnotify import Notifier

MOST_CALLS = 2_000
"""Calls at a time; further ones are told 503."""
WAITING = 128
"""Connections that wait to be accepted."""
TRIMS_EVERY_TICKS = 300
"""Looks of uvicorn's, ten a second, after which unused memory is given back."""
ENDS_S = 15
"""Time that calls have to end once the hub is told to."""


class Listening(msgspec.Struct, frozen=True, kw_only=True):
    """Where the gateway listens, and by which certificate it is known."""

    host: str
    port: int
    cert: Path | None = None
    key: Path | None = None
    rpc_port: int = 0
    """Port of gRPC; 0 for none."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"{'https' if self.cert else 'http'}://{self._name}:{self.port}"

    @property
    def rpc_address(self) -> str:
        """Its address for gRPC, as clients of that name it."""
        return f"{self._name}:{self.rpc_port}"

    @property
    def addresses(self) -> Sequence[str]:
        """Its addresses, as people are told."""
        return (self.url, *([f"{self.rpc_address} (gRPC)"] if self.rpc_port else ()))

    @property
    def _name(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def run(
    config: Config,
    tenants: Mapping[str, Tenant],
    listening: Listening,
    scaling: ScalingPolicy,
    told: Callable[[str], None],
    reread: Callable[[], Mapping[str, Tenant]],
    cluster: str = "",
    trials: TrialSize | None = None,
) -> None:
    """Serve until SIGTERM, on Ray of this machine or of a `cluster`.

    `told` receives the addresses once all stages serve, and what changes. At SIGHUP all workers are
    replaced, by such for the tenants that are `reread`; with `trials` a new version of a model has
    one of that size first. At SIGUSR2 a new hub takes over. Raises `InputError` for an address, a
    certificate or a cluster that cannot be used, before anything starts.
    """
    _require_certificate(listening)
    before = predecessor()
    known, wishes = KnownTenants(tenants), SimpleQueue[Wish]()
    # From the beginning on: else it would end the hub, and what changed by then be missed.
    signal.signal(signal.SIGHUP, lambda *_: wishes.put(Wish.UPDATE))
    signal.signal(signal.SIGUSR2, lambda *_: wishes.put(Wish.SUCCEED))
    taken = before.socket() if before else _socket(listening.host, listening.port)
    with closing(taken) as bound:
        if listening.rpc_port and before is None:
            # gRPC binds it only once the stages are there.
            _socket(listening.host, listening.rpc_port).close()
        succession = Succession(bound, partial(wishes.put, Wish.ATTEND), cluster)
        bound_at = msgspec.structs.replace(listening, port=bound.getsockname()[1])
        record = HubTrialFile(config.state_dir / HUB_TRIALS_FILE)
        versions = Versions(config.models_dir, record, trials)
        make = partial(makers, config, beside=partial(streams_of, GENERATOR))
        made = make(tenants, versions.pinned)
        pool = RayPool(made, tenants=tuple(tenants), scaling=scaling, address=cluster)
        with closing(pool), closing(succession):
            over = partial(wishes.put, Wish.ATTEND)
            rollout = Rollout(
                *(pool, make, tenants, versions, told, over), alone=partial(makers, config)
            )
            models = partial(_models, versions, rollout.streams)
            service = Service(rollout.streams, known, models, observers=_observers(config))
            rpc = _rpc(service, bound_at)
            serves = before.end if before else Notifier.from_environment().ready
            server = _Server(_settings(service, listening), rpc, serves)
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, server.handle_exit)
            for address in bound_at.addresses:
                told(f"serves at {address}")
            Updates(rollout, known, reread, told, wishes, succession).start()
            server.run(sockets=[bound])


def _settings(service: Service, listening: Listening) -> uvicorn.Config:
    return uvicorn.Config(
        application(service),
        http=BoundedConnection,
        ssl_certfile=listening.cert,
        ssl_keyfile=listening.key,
        loop="asyncio",  # gRPC's own loop knows no other
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CALLS,
        timeout_graceful_shutdown=ENDS_S,
    )


class _Server(uvicorn.Server):
    """Serves gRPC, too, in the same event loop.

    It leaves signals to who runs it: uvicorn raises them again once it has ended.
    """

    def __init__(
        self, settings: uvicorn.Config, rpc: RpcServer | None, serves: Callable[[], None]
    ) -> None:
        super().__init__(settings)
        self._rpc, self._serves = rpc, serves

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take calls."""
        await super().startup(sockets)
        if self._rpc is not None:
            await self._rpc.start()
        self._serves()

    async def on_tick(self, counter: int) -> bool:
        """Give memory back from time to time, which the C library keeps after a crowd has gone."""
        if counter % TRIMS_EVERY_TICKS == 0:
            await asyncio.to_thread(trim_heap)
        ends: bool = await super().on_tick(counter)
        return ends

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let calls end."""
        ending = [super().shutdown(sockets)]
        if self._rpc is not None:
            ending.append(self._rpc.stop(ENDS_S))
        await asyncio.gather(*ending)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield


def _rpc(service: Service, listening: Listening) -> RpcServer | None:
    if not listening.rpc_port:
        return None
    certificate = None
    if listening.cert is not None and listening.key is not None:
        certificate = Certificate(listening.cert.read_bytes(), listening.key.read_bytes())
    return RpcServer(service, listening.rpc_address, MOST_CALLS, certificate)


def _socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Where the protocol is named, asyncio sends a reply's parts at once, without Nagle's 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(WAITING)
    except OSError as error:
        made.close()
        where = f"{host} port {port}"
        raise InputError("hub.address", f"cannot listen at {where}: {error.strerror}") from error
    return made


def _require_certificate(listening: Listening) -> None:
    if listening.cert is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(listening.cert, listening.key)
    except OSError as error:
        told = f"{listening.cert} and {listening.key} are no certificate with its key: {error}"
        raise InputError("hub.certificate", told) from error


def _observers(config: Config) -> Sequence[Callable[[CallRecord], None]]:
    """Who is told of the calls: what traces them, where the settings have it."""
    if not config.traces.keep:
        return ()
    ring = LineRing(config.state_dir / HUB_TRACES_FOLDER)
    return (CallTracer(LoggedRing(ring)).observe,)


def _models(versions: Versions, streams: TrialStreams) -> Sequence[ModelState]:
    on_trial, library = streams.on_trial, versions.library(versions.pinned)
    tried = {on_trial.trial.model: on_trial.trial.version} if on_trial is not None else {}
    return [
        ModelState(
            name=name,
            version=library.version(name),
            state=library.state(name).value,
            on_trial=tried.get(name, ""),
        )
        for name in library.artefacts
    ]
