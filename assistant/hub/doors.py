"""Who is let in: by a tenant's key, to what the tenant may ask for, as often as it may."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from assistant.core.errors import AssistantError
from assistant.hub.rate import TokenBucket
from assistant.hub.tenants import Tenant, tenant_with

_BEARER = "bearer "


class StrangerError(AssistantError):
    """Who asks has no tenant's key."""


class RightError(AssistantError):
    """A tenant asks for what it may not."""


class RateError(AssistantError):
    """A tenant asks too often; it may again after `wait_s` whole seconds."""

    def __init__(self, wait_s: int) -> None:
        super().__init__("hub.rate", "too many requests; wait a moment")
        self.wait_s = wait_s


def key_in(authorization: str) -> str | None:
    """The key of an `Authorization` header, or of metadata like it; None where there is none."""
    is_bearer = authorization.lower().startswith(_BEARER)
    return authorization[len(_BEARER) :] if is_bearer else None


class Doors:
    """Lets in who has the key of one of the `tenants`; of one without a key everybody.

    The tenants may change, as those of `KnownTenants` do. One whose rate is another begins anew.
    """

    def __init__(self, tenants: Mapping[str, Tenant], clock: Callable[[], float]) -> None:
        self._tenants, self._clock = tenants, clock
        self._open = next((name for name, tenant in tenants.items() if not tenant.key), None)
        self._buckets: dict[tuple[str, float, int], TokenBucket] = {}

    def let_in(self, key: str | None, call: str) -> str:
        """The tenant whose key this is, and who may make a call.

        Raises `StrangerError`, `RateError` and `RightError`.
        """
        name = self._open
        if name is None and key is not None:
            name = tenant_with(key, self._tenants)
        tenant = self._tenants.get(name) if name is not None else None
        if name is None or tenant is None:
            raise StrangerError("hub.key", "send a tenant's key: Authorization: Bearer KEY")
        wait_s = self._bucket(name, tenant).take(self._clock())
        if wait_s > 0:
            raise RateError(math.ceil(wait_s))
        if call not in tenant.calls:
            allowed = ", ".join(tenant.calls) or "nothing"
            raise RightError("hub.right", f"{name} may not {call}, but {allowed}")
        return name

    def _bucket(self, name: str, tenant: Tenant) -> TokenBucket:
        rate = tenant.requests_per_s, tenant.burst
        return self._buckets.setdefault((name, *rate), TokenBucket(*rate))
