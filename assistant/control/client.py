"""The command line's end of the control socket of a running daemon."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.errors import ControlError, TurnedAwayError

ANSWER_S = 10.0
TURNED_AWAY = ("control.busy", "control.forbidden", "control.idle")


class ControlClient:
    """Asks the daemon whose socket is at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ask(self, command: str, *arguments: str) -> dict[str, Any]:
        """The one answer to `command`; raises `ControlError`, also when the answer is an error."""
        for answer in self.follow(command, ANSWER_S, arguments):
            return answer
        raise ControlError("control.silent", f"the daemon at {self._path} hung up")

    def follow(
        self, command: str, within_s: float | None = None, arguments: Sequence[str] = ()
    ) -> Iterator[dict[str, Any]]:
        """Every line that answers `command`, until the daemon hangs up.

        Raises `ControlError` when no daemon runs, when it refuses, or when it is silent for
        `within_s`.
        """
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.settimeout(within_s)
            self._connect(daemon)
            try:
                request = {"command": command, **({"arguments": arguments} if arguments else {})}
                with contextlib.suppress(BrokenPipeError):  # refused: the reason can be read below
                    daemon.sendall(msgspec.json.encode(request) + b"\n")
                with daemon.makefile("rb") as lines:
                    yield from map(_checked, lines)
            except TimeoutError as error:
                message = f"the daemon at {self._path} does not answer; restart it"
                raise ControlError("control.silent", message) from error
            except ConnectionError:
                return  # the daemon was killed, which ends the answer as hanging up does

    def _connect(self, daemon: socket.socket) -> None:
        try:
            daemon.connect(str(self._path))
        except (FileNotFoundError, ConnectionRefusedError) as error:
            message = (
                f"no daemon answers at {self._path}; start one with `assistant run`"
                " or `sudo systemctl start assistant`"
            )
            raise ControlError("control.down", message) from error
        except BlockingIOError as error:
            message = f"too many callers wait at {self._path}; ask again"
            raise TurnedAwayError("control.busy", message) from error
        except PermissionError as error:
            message = f"{self._path}: not yours to ask; join the group assistant"
            raise ControlError("control.forbidden", message) from error


def _checked(line: bytes) -> dict[str, Any]:
    answer: dict[str, Any] = msgspec.json.decode(line)
    if answer.get("type") == "Error":
        kind = TurnedAwayError if answer.get("code") in TURNED_AWAY else ControlError
        raise kind(str(answer.get("code")), str(answer.get("message")))
    return answer
