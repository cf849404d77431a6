"""What onnxruntime's networks run on: the CPU, and before it what the settings name.

A name is onnxruntime's own without its ending, in small letters: "cpu", "cuda", "tensorrt". The
choice is the process's: a GPU's context belongs to one process and does not survive a fork.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

CPU = "cpu"
ENDING = "executionprovider"
ELSEWHERE = ("azure",)
"""Providers that compute on somebody's servers; none is ever used."""

log = logging.getLogger(__name__)


class Providers:
    """The providers of a process in the order in which they are tried, and which have failed."""

    def __init__(self) -> None:
        self._wanted: tuple[str, ...] = ()
        self.faults: dict[str, str] = {}
        """Provider → why the CPU runs in its place."""

    def choose(self, names: Sequence[str]) -> None:
        """Try these from now on; sessions that are open stay where they are."""
        self._wanted = tuple(map(short, names))

    def usable(self, there: Sequence[str]) -> tuple[str, ...]:
        """Those to try before the CPU, of what is `there`; what is not there is told."""
        usable = []
        for name in self._wanted:
            if name == CPU:
                break
            if reason := why_not(name, there):
                self.failed(name, reason)
            elif name not in self.faults:
                usable.append(name)
        return tuple(usable)

    def failed(self, name: str, reason: str) -> None:
        """Tell once that a provider does not work here; this process tries it no more."""
        if name not in self.faults:
            self.faults[name] = reason
            log.warning("models run on the CPU, not on %s: %s (model.provider)", name, reason)


PROVIDERS = Providers()
"""The choice of this process."""


def why_not(name: str, there: Sequence[str]) -> str:
    """Why a provider is not even tried, with those that are `there`; "" where it is."""
    if name in ELSEWHERE:
        return "it computes on somebody's servers"
    if name not in there:
        return f"the installed onnxruntime has only {', '.join(there)}"
    return ""


def short(name: str) -> str:
    """A provider's name as the settings have it, from that or from onnxruntime's."""
    return name.lower().removesuffix(ENDING)
