"""Ray Serve, started within this process: one application for each stage, with its replicas."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.errors import InputError
from assistant.core.layout import ASR
from assistant.hub.ray.engine import (
    SERVE_SWITCHES,
    DeploymentHandle,
    DeploymentID,
    RayError,
    RayServeException,
    RequestRouterConfig,
    ray,
    serve,
    serve_client,
)
from assistant.hub.ray.replica import HERE, MakeStage, Replica, Shared
from assistant.hub.ray.router import TokenRouter
from assistant.pool.pool import ClosedError, PoolError

RUNNING, FAILED = "RUNNING", "DEPLOY_FAILED"
"""State of a replica or an application that serves, and of one that cannot, as Serve names them."""
OBJECTS_BYTES = 80 * 2**20
"""Shared memory for values that are passed by reference; ours are not."""
MOST_ONGOING = 2_000
"""Requests that one replica holds; more wait in the process that asks."""
QUIET: Mapping[str, Any] = {
    "log_to_driver": False,
    "logging_level": "error",
    "namespace": "hub",
}
JOINS_S = 3.0
"""Time in which the head of a cluster must answer."""
SERVE_LOG = logging.getLogger("ray.serve")
LOGGING = {"log_level": "WARNING", "enable_access_log": False}
HEALTH_EVERY_S, UNHEALTHY_S = 0.5, 5.0
NEWS_EVERY_S = 0.5
"""Time between two times that a replica is asked what it holds."""
DRAINS_S = 15.0
"""Time that a replica that stops has to finish what it holds."""
ASKED_S = 5.0
"""Time in which Serve's controller takes a wish."""
LOOKS_EVERY_S = 0.2
"""Time between two looks at whether what was deployed serves."""


class Kind(msgspec.Struct, frozen=True):
    """How fast a replica of a stage is taken to be until it has served, and how it serves."""

    tokens_per_s: float
    in_slices: bool = False


KINDS: Mapping[str, Kind] = {
    ASR: Kind(50.0),
    "nlu": Kind(1_000.0),
    "answer": Kind(100.0, in_slices=True),
    "generator": Kind(100.0, in_slices=True),
    "voice": Kind(200.0),
}
OTHER = Kind(1_000.0)
TRIAL = " trial "
"""What follows the stage in the name of an application that runs beside that of the stage."""


class Release(msgspec.Struct, frozen=True):
    """What the replicas run: `makers` of the stages of each of the `tenants`.

    Replicas with another `number` are replaced when it is deployed.
    """

    makers: Mapping[str, MakeStage]
    tenants: tuple[str, ...]
    number: int = 0

    def served(self, stage: str) -> tuple[str, ...]:
        """The names by which the replicas of a stage are asked."""
        return (HERE,) if isinstance(self.makers[stage], Shared) else self.tenants


class Cluster:
    """Ray for as long as it is open: that of this machine, or one at `address` that is joined.

    Raises `InputError` where nothing can be joined.
    """

    def __init__(self, address: str = "") -> None:
        SERVE_LOG.setLevel(logging.ERROR)
        self._is_closed, self._ending = False, threading.Lock()
        self._joined, self._deployed = bool(address), frozenset[str]()
        # Ray opens its folder to everybody, so it is in one that is not. Sockets lie there, whose
        # paths may be 107 bytes long.
        self._folder = Path(tempfile.mkdtemp(prefix="hub-"))
        with ExitStack() as undone:
            undone.callback(shutil.rmtree, self._folder, ignore_errors=True)
            if address:
                join(address)
            else:
                ray.init(
                    num_cpus=os.cpu_count(),
                    include_dashboard=False,
                    object_store_memory=OBJECTS_BYTES,
                    _temp_dir=str(self._folder / "ray"),
                    **QUIET,
                )
            serve.start(proxy_location="Disabled", logging_config=LOGGING)
            undone.pop_all()
        self._controller = serve_client()._controller

    def deploy(
        self, release: Release, stages: Collection[str], replicas: Callable[[str], int]
    ) -> None:
        """Have so many `replicas` of each of the stages; returns once all serve.

        Those of another release serve until these do, and then finish what they hold. Where a new
        one cannot be made, or all ends, `PoolError` is raised, and the others serve on.
        """
        self._deployed |= frozenset(stages)
        targets = [
            serve.RunTarget(
                _deployment(stage, replicas(stage), release.number).bind(
                    stage, release.makers[stage], release.served(stage)
                ),
                name=stage,
                route_prefix=None,
                logging_config=LOGGING,
                external_scaler_enabled=True,
            )
            for stage in stages
        ]
        try:
            with self._open():
                serve.run_many(
                    targets,
                    wait_for_ingress_deployment_creation=False,
                    wait_for_applications_running=False,
                )
            while not all(self._runs(stage) for stage in stages):
                time.sleep(LOOKS_EVERY_S)
        except (RuntimeError, RayError, RayServeException) as error:
            # The text is the trace of a replica.
            last = str(error).strip().splitlines()[-1]
            raise PoolError("pool.start", f"a stage does not start: {last}") from error

    def remove(self, application: str) -> None:
        """Have an application end; what its replicas hold is finished. Raises `PoolError`."""
        try:
            with self._open():
                serve_client().delete_apps([application], blocking=False)
        except (RayError, RayServeException) as error:
            told = f"{application} does not end: {type(error).__name__}"
            raise PoolError("pool.stop", told) from error
        self._deployed -= {application}

    def scale(self, stage: str, replicas: int) -> None:
        """Ask for so many replicas of a stage, and wait for none; raises `PoolError`."""
        asked = self._controller.update_deployment_replicas.remote
        try:
            ray.get(asked(DeploymentID(stage, stage), replicas), timeout=ASKED_S)
        except RayError as error:
            told = f"{stage}: Ray does not take that {replicas} are wanted: {type(error).__name__}"
            raise PoolError("pool.scale", told) from error

    def serves(self, stages: Collection[str]) -> bool:
        """Whether each of the stages has a replica that serves."""
        applications = serve.status().applications
        return all(
            stage in applications
            and applications[stage].deployments[stage].replica_states.get(RUNNING, 0) > 0
            for stage in stages
        )

    def close(self) -> None:
        """End every process of it, whatever it does; Serve's own end waits 30 s for nothing.

        Of a cluster that was joined, the stages alone.
        """
        with self._ending:
            self._is_closed = True
            if self._joined:
                with suppress(RayError, RayServeException):  # it may be gone
                    serve_client().delete_apps(sorted(self._deployed), blocking=False)
            ray.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _runs(self, stage: str) -> bool:
        """Whether all replicas of a stage are those asked for; raises `RuntimeError`, or Ray's."""
        with self._open():
            told = serve.status().applications.get(stage)
        if told is None:
            return False
        if told.status == FAILED:
            raise RuntimeError(told.message)
        return bool(told.status == RUNNING)

    @contextmanager
    def _open(self) -> Iterator[None]:
        """Let Ray not end meanwhile; raises `ClosedError` where it has."""
        with self._ending:
            if self._is_closed:
                raise ClosedError("pool.closed", "the hub ends")
            yield


def stage_of(application: str) -> str:
    """The stage that an application runs."""
    return application.partition(TRIAL)[0]


def join(address: str) -> None:
    """Connect to the cluster whose head is at HOST:PORT; raises `InputError`.

    It takes who has its token, from the environment variable RAY_AUTH_TOKEN.
    """
    host, _, port = address.rpartition(":")
    try:
        # Ray itself would try for minutes.
        socket.create_connection((host, int(port)), JOINS_S).close()
    except (OSError, ValueError, OverflowError) as error:
        raise InputError("hub.cluster", f"nothing answers at {address}") from error
    try:
        ray.init(address=address, runtime_env={"env_vars": SERVE_SWITCHES}, **QUIET)
    except (OSError, RuntimeError, RayError) as error:
        told = f"{address} is no Ray of this version, or its RAY_AUTH_TOKEN is another"
        raise InputError("hub.cluster", told) from error


def handle_to(stage: str) -> DeploymentHandle:
    """The way to a stage's replicas, for the event loop that runs now alone."""
    handle = DeploymentHandle(stage, stage)
    # A thread between would cost each call 2 ms.
    handle._init(_run_router_in_separate_loop=False)
    return handle.options(
        method_name=Replica.reply.__name__,
        stream=True,
        _by_reference=False,
        request_serialization="pickle",
        response_serialization="pickle",
    )


def _deployment(stage: str, replicas: int, release: int) -> serve.Deployment:
    kind = KINDS.get(stage_of(stage), OTHER)
    routing = RequestRouterConfig(
        request_router_class=TokenRouter,
        request_router_kwargs={
            "stage": stage,
            "tokens_per_s": kind.tokens_per_s,
            "in_slices": kind.in_slices,
        },
        request_routing_stats_period_s=NEWS_EVERY_S,
        request_routing_stats_timeout_s=UNHEALTHY_S,
    )
    return serve.deployment(
        Replica,
        name=stage,
        num_replicas=replicas,
        max_ongoing_requests=MOST_ONGOING,
        max_surge_percent=100,
        ray_actor_options={"num_cpus": 0},
        health_check_period_s=HEALTH_EVERY_S,
        health_check_timeout_s=UNHEALTHY_S,
        graceful_shutdown_wait_loop_s=0.2,
        graceful_shutdown_timeout_s=DRAINS_S,
        request_router_config=routing,
    ).options(version=str(release), _internal=True)
