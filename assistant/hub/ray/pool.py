"""The pool of stages on Ray Serve: their replicas, and what asks these."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count

from assistant.core.stage import Stage
from assistant.hub.observation.figures import StageLoad
from assistant.hub.ray.cluster import RUNNING, SERVE_LOG, TRIAL, Cluster, Release
from assistant.hub.ray.engine import serve
from assistant.hub.ray.ledger import close_ledgers, ledger_of
from assistant.hub.ray.replica import HERE, MakeStage
from assistant.hub.ray.scaler import Scaler
from assistant.hub.ray.streams import SILENCE_S, RayStreams
from assistant.pool.pool import PoolError
from assistant.pool.scaling import ScalingPolicy


class RayPool(RayStreams):
    """Runs stages on Ray Serve, which it starts: `replicas` of each, with a stage per tenant.

    With `scaling` there are as many as that wants in place of `replicas`. With an `address` it
    joins the cluster there, and starts none. Raises `PoolError` where a stage cannot be made, and
    `InputError` where there is no such cluster.
    """

    def __init__(
        self,
        makers: Mapping[str, MakeStage],
        replicas: int = 1,
        tenants: Sequence[str] = (HERE,),
        silence_s: float = SILENCE_S,
        scaling: ScalingPolicy | None = None,
        address: str = "",
    ) -> None:
        super().__init__(makers, tenants, silence_s)
        first = Release(makers, tuple(tenants))
        self._releases = dict.fromkeys(makers, first)
        """Stage → what its replicas run."""
        self._numbers = count(1)
        self._cluster = Cluster(address)
        with ExitStack() as undone:
            undone.callback(self._cluster.close)
            policy = scaling or ScalingPolicy(least=replicas, most=replicas)
            self._scaler = Scaler(makers, policy, self._cluster.scale)
            self._deploy(first, self._stages)
            asyncio.run_coroutine_threadsafe(self._listen(), self._own_loop()).result()
            undone.pop_all()
        self._scaler.start()

    @property
    def stages(self) -> Collection[str]:
        """Those that it runs."""
        return self._stages

    def update(
        self,
        makers: Mapping[str, MakeStage],
        tenants: Sequence[str],
        stages: Collection[str] | None = None,
    ) -> None:
        """Replace every replica by one with these stages and tenants, one stage after another.

        With `stages`, those of these alone, where nothing is new for the others.
        It waits until all are replaced, and belongs to one thread. Tenants that are not served any
        more are refused from the beginning on, new ones until the end. Raises `PoolError` where a
        stage cannot be made; then the replicas are those of before.
        """
        if self._stages != makers.keys():
            told = f"the stages are {', '.join(sorted(self._stages))}; others take a new start"
            raise PoolError("pool.stages", told)
        served, renewed = self._tenants, sorted(self._stages if stages is None else stages)
        release = Release(makers, tuple(tenants), next(self._numbers))
        self._tenants = served & frozenset(tenants)
        begun: list[str] = []
        try:
            for stage in renewed:
                begun.append(stage)
                self._deploy(release, (stage,))
        except PoolError:
            self._tenants = served
            for stage in begun:
                self._deploy(self._releases[stage], (stage,))
            raise
        self._releases |= dict.fromkeys(renewed, release)
        self._tenants = frozenset(tenants)

    def beside(self, stage: str, make: MakeStage, share: float) -> str:
        """Have another make of a stage run beside it, for a `share` of what that is asked.

        Gives the name by which it is asked, for the same tenants. Raises `PoolError` where it
        cannot be made; then nothing of it is there. It ends with `drop`.
        """
        number = next(self._numbers)
        name = f"{stage}{TRIAL}{number}"
        replicas = math.ceil(share * self._scaler.wanted(stage))
        release = Release({name: make}, tuple(self._tenants), number)
        try:
            self._cluster.deploy(release, (name,), lambda _: replicas)
        except PoolError:
            self._cluster.remove(name)
            raise
        self._beside |= {name}
        return name

    def drop(self, name: str) -> None:
        """End what runs `beside` a stage, which nobody may ask any more; raises `PoolError`."""
        self._beside -= {name}
        for key in [key for key in list(self._handles) if name in key]:
            del self._handles[key]
        self._cluster.remove(name)
        close_ledgers((name,))

    async def ready(self) -> bool:
        """Whether every stage has a replica that serves."""
        return await asyncio.to_thread(self._cluster.serves, self._stages)

    async def loads(self) -> Mapping[str, StageLoad]:
        """The replicas of each stage that serve, and what all callers wait for of them."""
        applications = (await asyncio.to_thread(serve.status)).applications
        loads = {}
        for stage in sorted(self._stages & applications.keys()):
            serving = applications[stage].deployments[stage].replica_states.get(RUNNING, 0)
            ledger = ledger_of(stage)
            states = ledger.states() if ledger is not None else ()
            tokens = sum(state.tokens_outstanding for state in states)
            loads[stage] = StageLoad(serving, tokens)
        return loads

    def close(self) -> None:
        """End every process of Ray's."""
        SERVE_LOG.setLevel(logging.CRITICAL)  # news for a loop that has ended are errors to Serve
        self._scaler.close()
        super().close()
        self._cluster.close()

    async def _listen(self) -> None:
        """Have a router to each stage, so that news of those come that only replicas ask."""
        for stage in self._stages:
            self._handle(stage)

    def _deploy(self, release: Release, stages: Collection[str]) -> None:
        with self._scaler.paused():
            self._cluster.deploy(release, stages, self._scaler.wanted)


def ray_pool(
    makers: Mapping[str, Callable[[], Stage]], replicas: int = 1, silence_s: float = SILENCE_S
) -> RayPool:
    """A pool of stages that know no tenants."""
    of_all = {stage: partial(_made, make) for stage, make in makers.items()}
    return RayPool(of_all, replicas, silence_s=silence_s)


def _made(make: Callable[[], Stage], tenant: str) -> Stage:
    return make()
