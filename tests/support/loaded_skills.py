"""All skills, loaded as this is imported: for a server whose forks need them at once."""

from __future__ import annotations

from skills.registry import load_registry

load_registry()
