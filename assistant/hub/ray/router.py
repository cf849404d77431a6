"""The pool's routing as Ray Serve's router, which runs in each process that calls replicas.

Serve sends this module there as code, so that it keeps nothing of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assistant.core.clock import boottime_s
from assistant.hub.ray.engine import RequestRouter
from assistant.hub.ray.holding import told
from assistant.hub.ray.ledger import open_ledger
from assistant.pool.routing import RequestShape


class TokenRouter(RequestRouter):
    """Sends each request to the replica that `assistant.pool.routing` chooses.

    The shape of a request is in the arguments between its tenant and what was asked before it. That
    it is over is told by `RayStreams`, which knows what became of it.
    """

    def initialize_state(self, stage: str, tokens_per_s: float, in_slices: bool) -> None:
        """Begin to count; the arguments are those of the deployment's configuration."""
        self._ledger = open_ledger(stage, tokens_per_s, in_slices)

    def update_replicas(self, replicas: list[Any]) -> None:
        """Take the replicas that serve, each with what it told last."""
        self._ledger.told({one.replica_id.unique_id: told(one.routing_stats) for one in replicas})
        super().update_replicas(replicas)

    async def choose_replicas(
        self, candidate_replicas: Sequence[Any], pending_request: Any = None
    ) -> list[list[Any]]:
        """The replicas in the order in which they are to be asked, each a rank of its own."""
        by_name = {replica.replica_id.unique_id: replica for replica in candidate_replicas}
        if pending_request is None:
            return [list(candidate_replicas)]
        request_id, shape = pending_request.metadata.request_id, _shape(pending_request)
        ranked = self._ledger.ranked(by_name.keys(), request_id, shape, boottime_s())
        return [[by_name[name]] for name in ranked]

    def on_request_routed(self, pending_request: Any, replica_id: Any, result: Any) -> None:
        """A replica has taken a request."""
        request_id, shape = pending_request.metadata.request_id, _shape(pending_request)
        self._ledger.began(replica_id.unique_id, request_id, shape, boottime_s())

    def on_replica_actor_unavailable(self, replica_id: Any) -> None:
        """A replica did not answer."""
        super().on_replica_actor_unavailable(replica_id)
        self._ledger.avoid(replica_id.unique_id, boottime_s())

    def on_replica_actor_died(self, replica_id: Any) -> None:
        """A replica is dead; news that is older than that may name it once more."""
        super().on_replica_actor_died(replica_id)
        self._ledger.avoid(replica_id.unique_id, boottime_s())


def _shape(pending_request: Any) -> RequestShape:
    _, _, tokens, prompt_tokens, key, _, _ = pending_request.args
    return RequestShape(tokens=tokens, prompt_tokens=prompt_tokens, key=key)
