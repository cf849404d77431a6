"""The command `assistant`: it loads its subcommands and prints errors in one line each."""

from __future__ import annotations

import gc
import importlib
import os
import sys

import typer

from assistant.cli.shared.output import errors
from assistant.core.errors import AssistantError, InputError
from assistant.core.layout import COMMAND_LINE

COMMANDS = (
    "run",
    "demo",
    "hear",
    "say",
    "batch",
    "watch",
    "why",
    "replay",
    "reload",
    "doctor",
    "config",
    "bridge",
    "rooms",
    "satellite",
    "mute",
    "unmute",
    "pair",
    "unpair",
    "setup",
    "backup",
    "restore",
)
"""Modules of this package that hold one command of the same name."""

ELSEWHERE = {
    **dict.fromkeys(("mute", "unmute"), "microphone.mute"),
    "eval": "evaluation.eval",
    **dict.fromkeys(("pair", "unpair"), "security.pair"),
    "pin": "security.pin",
    "home-assistant": "security.home_assistant",
    "sensors": "sensors.group",
    **{name: f"network.{name}" for name in ("bridge", "rooms", "satellite", "hub")},
    **{name: f"installation.{name}" for name in ("setup", "backup", "restore")},
}
"""Commands whose module is not this package's own, or has another name."""

GROUPS = (
    *("skills", "models", "documents", "record", "wake", "pin", "home-assistant"),
    *("sensors", "trace", "hub", "eval", "bench"),
)
"""Modules of this package that hold a group of commands, `app`."""

_NAME = "assistant"
"""Name of the program in its help, however it was started."""

_COLLECTED_AFTER = 100_000
"""New objects after which garbage is looked for. Python's own 700 cost a fifth of the start: nearly
all that is made then, modules and sentences, stays."""


def main() -> None:
    """Run the command line; exit status 2 for wrong input of the user, 1 for other errors."""
    # Since 1.29 onnxruntime sends telemetry to Microsoft; faster-whisper and others load it too.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    # As in the daemon: for one sentence's small sums a second thread costs 10 ms of waiting.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_COLLECTED_AFTER)
    try:
        _mounted(sys.argv[1:2])(prog_name=_NAME)
    except AssistantError as error:
        errors.print(f"assistant: {error.message}", style="red", markup=False, soft_wrap=True)
        sys.exit(2 if isinstance(error, InputError) else 1)
    except BrokenPipeError:
        # The reader (head, less) has ended; Python would otherwise print an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _mounted(first_argument: list[str]) -> typer.Typer:
    """The command line with the requested command alone: `assistant reload` needs no engine."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help="Hark: an offline voice assistant. Nothing that is said leaves this device.",
    )
    every = {**dict.fromkeys(COMMANDS, "command"), **dict.fromkeys(GROUPS, "group")}
    wanted = first_argument if set(first_argument) <= every.keys() else every
    for name in wanted:
        module = importlib.import_module(f"{COMMAND_LINE}.{ELSEWHERE.get(name, name)}")
        if every[name] == "group":
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, name))
    if len(wanted) == 1:
        # Without a callback, typer would take the name of a single command for an argument.
        app.callback()(lambda: None)
    return app
