"""Give understanding many strings that nobody would say: `python -m benchmarks.understanding.fuzz`.

None may raise an exception, and what is no command may have no effect. Run it from the repository's
root.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path

import msgspec

from assistant.composition import Composition
from assistant.core.config import Config, HomeSettings, StorageSettings
from assistant.core.messages import Command, Commit, HomeCommand, Interpretation, SpokenReply
from assistant.core.settings.mqtt import MqttSettings
from assistant.evaluation.specimen import specimen_home
from assistant.pipeline import run
from benchmarks.understanding.strings import strings
from nlu.text.canonical import canonical
from skills.registry import load_registry
from skills.state import open_state

TOLD_EVERY = 10_000


class Fuzzed(msgspec.Struct, kw_only=True):
    """The result for `strings`; `effects` are of those that were no commands by chance."""

    strings: int = 0
    exceptions: int = 0
    commands: int = 0
    effects: int = 0
    slowest_ms: float = 0.0


def composed(folder: Path, cache: Path | None = None) -> Composition:
    """Everything that is built in, over a home with something for every skill, kept in `folder`.

    `cache` may hold what was fitted before.
    """
    home = msgspec.to_builtins(specimen_home(load_registry().manifests))
    (folder / "home.yaml").write_text(json.dumps(home), "utf-8")
    return Composition(
        Config(
            home=HomeSettings(file=str(folder / "home.yaml")),
            mqtt=MqttSettings(host="localhost"),
            storage=StorageSettings(cache=str(cache or folder / "cache")),
        )
    )


def fuzz(composition: Composition, texts: Iterable[tuple[str, bool]]) -> Fuzzed:
    """Understand every text, and carry out what is understood of those that are no commands."""
    interpreter, now = (
        composition.understanding.interpreter(composition.understanding.templates),
        composition.now(),
    )
    found = Fuzzed()
    for text, may_mean in texts:
        began_s = time.perf_counter()
        try:
            commands = interpreter(canonical(text), now).commands
            done = bool(commands) and not may_mean and has_effect(composition, text, commands)
        except Exception as error:  # noqa: BLE001 - any exception at all is a finding
            found.exceptions += 1
            _tell(f"{type(error).__name__}: {error}", text)
        else:
            found.commands += bool(commands)
            found.effects += done
            if done:
                _tell(", ".join(command.intent for command in commands), text)
        found.strings += 1
        if found.strings % TOLD_EVERY == 0:
            sys.stderr.write(f"{found}\n")
        found.slowest_ms = max(found.slowest_ms, (time.perf_counter() - began_s) * 1000)
    return found


def has_effect(composition: Composition, text: str, commands: tuple[Command, ...]) -> bool:
    """Whether the skills change anything for these commands, on fresh state."""
    said = (
        Interpretation(utterance_id="fuzz", revision=0, text=text, commands=commands),
        Commit(utterance_id="fuzz", revision=0),
    )
    with closing(open_state(None)) as state:
        messages = run([composition.skills(state)], said)
        return any(
            isinstance(m, HomeCommand) or (isinstance(m, SpokenReply) and m.acted) for m in messages
        )


def _tell(what: str, text: str) -> None:
    sys.stderr.write(f"{what[:200]}: {text[:120]!a} ({len(text)} characters)\n")


def main() -> None:
    """Print the figures as one JSON object; exit status 1 for any exception or effect."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=200_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="hark-fuzz-") as folder:
        found = fuzz(composed(Path(folder)), islice(strings(given.seed), given.count))
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
    sys.exit(bool(found.exceptions or found.effects))


if __name__ == "__main__":
    main()
