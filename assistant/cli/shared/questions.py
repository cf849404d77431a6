"""Questions at the terminal, each of which Ctrl-C ends."""

from __future__ import annotations

import select
import signal
import socket
import sys
from getpass import getpass

import typer

from assistant.cli.shared.output import LONGEST_TEXT
from assistant.core.errors import printable

_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}


def ask(prompt: str) -> str:
    """Show `prompt` and read one line; raises `typer.Abort` for Ctrl-C and Ctrl-D."""
    try:
        typer.echo(printable(prompt, LONGEST_TEXT), nl=False)
        if sys.stdin.isatty():
            wait_for_line()
        return input()
    except (KeyboardInterrupt, EOFError):
        raise typer.Abort from None


def ask_secret(prompt: str) -> str:
    """As `ask`, without showing what is typed."""
    try:
        return getpass(prompt)
    except (KeyboardInterrupt, EOFError):
        raise typer.Abort from None


def confirm(question: str, default: bool = False) -> bool:
    """Ask until the answer is yes or no; Enter gives the default, and it raises as `ask` does."""
    while True:
        answer = ask(f"{question} [{'Y/n' if default else 'y/N'}]: ").strip().casefold()
        if not answer:
            return default
        if answer in _ANSWERS:
            return _ANSWERS[answer]
        typer.echo("Please answer y or n.")


def wait_for_line() -> None:
    """Return once `input()` will not wait; raises `KeyboardInterrupt` for Ctrl-C.

    Python only notes a signal and acts on it between two of its own steps. If one comes after the
    last step before `input()` reads, it is noted, and `input()` still waits for a line. Here each
    signal also writes to a socket, and that ends the waiting.
    """
    read, write = socket.socketpair()
    with read, write:
        write.setblocking(False)
        before = signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)
        try:
            while sys.stdin not in select.select((sys.stdin, read), (), ())[0]:
                read.recv(1)  # a signal that raised nothing, such as that of another window size
        finally:
            signal.set_wakeup_fd(before)
