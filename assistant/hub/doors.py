"""Who is let in: by a tenant's key, as often as the tenant may ask."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import HTTPException, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from assistant.hub.rate import TokenBucket
from assistant.hub.tenants import Tenant, tenant_with

_BEARER = HTTPBearer(auto_error=False, description="A tenant's key.")


class Doors:
    """Lets in who has the key of one of the `tenants`; of one without a key everybody."""

    def __init__(self, tenants: Mapping[str, Tenant], clock: Callable[[], float]) -> None:
        self._tenants, self._clock = tenants, clock
        self._open = next((name for name, tenant in tenants.items() if not tenant.key), None)
        self._buckets = {
            name: TokenBucket(tenant.requests_per_s, tenant.burst)
            for name, tenant in tenants.items()
        }

    async def __call__(
        self,
        request: Request,
        bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)],
    ) -> None:
        """Note the tenant of a request; raises `HTTPException` of status 401 or 429."""
        name = self._open
        if name is None and bearer is not None:
            name = tenant_with(bearer.credentials, self._tenants)
        if name is None:
            told = {"code": "hub.key", "message": "send a tenant's key: Authorization: Bearer KEY"}
            raise HTTPException(401, told, {"WWW-Authenticate": "Bearer"})
        wait_s = self._buckets[name].take(self._clock())
        if wait_s > 0:
            told = {"code": "hub.rate", "message": "too many requests; wait a moment"}
            raise HTTPException(429, told, {"Retry-After": str(math.ceil(wait_s))})
        request.state.tenant = name
