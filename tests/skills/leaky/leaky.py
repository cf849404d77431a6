"""Keeps a little memory and an open file each time it is asked to."""

from __future__ import annotations

import os

from assistant.skill import Reply, Skill

LEAK_BYTES = 64_000

skill = Skill("leaky", api=1, description="spring leaks")
kept: list[bytes] = []


@skill.intent("SpringLeak", "spring a leak")
def spring() -> Reply:
    """Keep what should have been let go."""
    kept.append(b"\1" * LEAK_BYTES)
    os.open(os.devnull, os.O_RDONLY)
    return Reply("Drip.")
