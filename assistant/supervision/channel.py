"""The packets that a process and the supervisor exchange over the line between them.

A line is a SOCK_SEQPACKET pair with one JSON value in each packet. Beats and requests to reload go
up; news goes down to the one process that publishes it. End of stream means that the other side is
gone.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from assistant.core.messages import Reload, SafeModeEntered, StageRestarted


class Beat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag=True):
    """The work loop went round; `detail` says what the process lacks, or what it works with.

    After "reloading" the loop pauses, for as long as a start may take.
    """

    state: Literal["ready", "degraded", "reloading"] = "ready"
    detail: str = ""


class ProcessStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One process as the supervisor sees it."""

    name: str
    state: str
    pid: int | None = None
    detail: str = ""
    restarts: int = 0


class Status(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Every process of the daemon."""

    processes: tuple[ProcessStatus, ...] = ()


News = Status | StageRestarted | SafeModeEntered | Reload
"""Reports that the control process publishes or shows for the supervisor, which is on no bus."""

_ENCODER = msgspec.json.Encoder()
_TOLD: msgspec.json.Decoder[Beat | Reload] = msgspec.json.Decoder(Beat | Reload)
_NEWS: msgspec.json.Decoder[News] = msgspec.json.Decoder(News)


def encode(packet: Beat | News) -> bytes:
    """The bytes of a packet."""
    return _ENCODER.encode(packet)


def decode_told(packet: bytes) -> Beat | Reload:
    """What a process reports in `packet`; raises `msgspec.DecodeError` on anything else."""
    try:
        return _TOLD.decode(packet)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error


def decode_news(packet: bytes) -> News:
    """The news in `packet`; raises `msgspec.DecodeError` on anything else."""
    return _NEWS.decode(packet)
