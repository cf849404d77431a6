"""The daemon under attack: real processes in temporary folders, files instead of a sound card."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import msgspec

from assistant.bench.rig import Rig, running_daemon
from assistant.core.config import Config, load_config
from assistant.core.layout import STATE_FILE
from assistant.evaluation.specimen import specimen_home
from benchmarks.hostile.conversation import Conversation
from skills.registry import load_registry

Effects = frozenset[str]
"""The state that the daemon keeps for its user, one text a row."""

TABLES = ("devices", "device_attributes", "device_commands", "timers", "list_items")
KEPT = (
    "set a timer for nine hours",
    "add milk to my shopping list",
    "turn on the window light",
)
"""Commands said before the attack, so that there is something to lose."""
FIRST_REPLY_S = 30.0


@dataclass
class Target:
    """A running daemon; `also` are other processes to watch, name by id."""

    rig: Rig
    config: Config
    also: dict[int, str] = field(default_factory=dict)

    def effects(self) -> Effects:
        """All state that is kept now."""
        file = self.config.state_dir / STATE_FILE
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database:
            return frozenset(
                f"{table} {row}"
                for table in TABLES
                for row in database.execute(f"SELECT * FROM {table}")  # noqa: S608 - our names
            )


@contextmanager
def running_target(settings: str = "") -> Iterator[Target]:
    """A daemon with further `settings` (TOML), a home, a timer, a list and a light that is on."""
    home = json.dumps(msgspec.to_builtins(specimen_home(load_registry().manifests)))
    with running_daemon(home, settings) as rig:
        target = Target(rig, load_config((rig.config,))[0])
        with closing(Conversation(target.config.runtime_dir, "seeder")) as conversation:
            conversation.await_answer(FIRST_REPLY_S)
            for text in KEPT:
                reply = conversation.say(text, FIRST_REPLY_S)
                if reply is None or not reply.acted:
                    raise AssertionError(f'"{text}" was not done: {reply}')
        yield target
