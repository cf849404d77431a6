"""Ray Serve, started within this process: one application for each stage, with its replicas."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from assistant.core.layout import ASR
from assistant.hub.engine import DeploymentHandle, RequestRouterConfig, ray, serve
from assistant.hub.replica import MakeStage, Replica
from assistant.hub.router import TokenRouter
from assistant.pool.pool import PoolError

RUNNING = "RUNNING"
"""State of a replica that serves, as Serve names it."""
OBJECTS_BYTES = 80 * 2**20
"""Shared memory for values that are passed by reference; ours are not."""
MOST_ONGOING = 2_000
"""Requests that one replica holds; more wait in the process that asks."""
LOGGING = {"log_level": "WARNING", "enable_access_log": False}
HEALTH_EVERY_S, UNHEALTHY_S = 0.5, 5.0
DRAINS_S = 15.0
"""Time that a replica that stops has to finish what it holds."""


class Kind(msgspec.Struct, frozen=True):
    """How fast a replica of a stage is taken to be until it has served, and how it serves."""

    tokens_per_s: float
    in_slices: bool = False


KINDS: Mapping[str, Kind] = {
    ASR: Kind(50.0),
    "nlu": Kind(1_000.0),
    "answer": Kind(100.0, in_slices=True),
    "voice": Kind(200.0),
}
OTHER = Kind(1_000.0)


class Cluster:
    """Ray of this machine, for as long as it is open."""

    def __init__(self) -> None:
        logging.getLogger("ray.serve").setLevel(logging.ERROR)
        # Ray opens its folder to everybody, so it is in one that is not. Sockets lie there, whose
        # paths may be 107 bytes long.
        self._folder = Path(tempfile.mkdtemp(prefix="hub-"))
        ray.init(
            num_cpus=os.cpu_count(),
            include_dashboard=False,
            object_store_memory=OBJECTS_BYTES,
            log_to_driver=False,
            logging_level="error",
            namespace="hub",
            _temp_dir=str(self._folder / "ray"),
        )
        serve.start(proxy_location="Disabled", logging_config=LOGGING)

    def deploy(
        self, makers: Mapping[str, MakeStage], tenants: Sequence[str], replicas: int
    ) -> None:
        """Start `replicas` of each stage; returns once all serve. Raises `PoolError`."""
        targets = [
            serve.RunTarget(
                _deployment(stage, replicas).bind(stage, make, tuple(tenants)),
                name=stage,
                route_prefix=None,
                logging_config=LOGGING,
            )
            for stage, make in makers.items()
        ]
        try:
            serve.run_many(targets)
        except RuntimeError as error:  # its text is the trace of a replica
            last = str(error).strip().splitlines()[-1]
            raise PoolError("pool.start", f"a stage does not start: {last}") from error

    def serves(self, stages: Collection[str]) -> bool:
        """Whether each of the stages has a replica that serves."""
        applications = serve.status().applications
        return all(
            stage in applications
            and applications[stage].deployments[stage].replica_states.get(RUNNING, 0) > 0
            for stage in stages
        )

    def close(self) -> None:
        """End every process of it, whatever it does; Serve's own end waits 30 s for nothing."""
        ray.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)


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


def _deployment(stage: str, replicas: int) -> serve.Deployment:
    kind = KINDS.get(stage, OTHER)
    routing = RequestRouterConfig(
        request_router_class=TokenRouter,
        request_router_kwargs={
            "stage": stage,
            "tokens_per_s": kind.tokens_per_s,
            "in_slices": kind.in_slices,
        },
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
    )
