"""Keeps a little memory each time it is asked to."""

from __future__ import annotations

from assistant.skill import Reply, Skill

LEAK_BYTES = 64_000

skill = Skill("leaky", api=1, description="spring leaks")
kept: list[bytes] = []


@skill.intent("SpringLeak", "spring a leak")
def spring() -> Reply:
    """Keep what should have been let go."""
    kept.append(b"\1" * LEAK_BYTES)
    return Reply("Drip.")
