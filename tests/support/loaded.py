"""What processes need that are forked, loaded as this is imported, the skills among it."""

from __future__ import annotations

from skills.registry import load_registry
from tests.support import dying, network_bridge

__all__ = ["dying", "network_bridge"]

load_registry()
