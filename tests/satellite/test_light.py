"""A satellite loads no more than `requirements/satellite.txt` holds."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

REQUIREMENTS = Path(__file__).parents[2] / "requirements" / "satellite.txt"
LISTING = (
    "import importlib, sys, importlib.metadata as m;"
    "importlib.import_module(sys.argv[1]);"
    "names = m.packages_distributions();"
    "print(*sorted({d for k in sys.modules for d in names.get(k.partition('.')[0], [])}))"
)


@cache
def loaded(module: str) -> set[str]:
    """The distributions that are loaded with a module of ours."""
    command = (sys.executable, "-c", LISTING, module)
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {name.lower().replace("_", "-") for name in told.split()}


@pytest.fixture(scope="module")
def pinned() -> set[str]:
    lines = REQUIREMENTS.read_text("utf-8").splitlines()
    return {line.partition("==")[0] for line in lines if "==" in line}


def test_what_a_satellite_loads_is_pinned_for_it(pinned: set[str]) -> None:
    assert loaded("assistant.cli.network.satellite") - {"hark-assistant"} <= pinned


def test_what_pairing_needs_is_loaded_when_it_is_paired() -> None:
    needed = {"cryptography", "spake2"}
    assert not loaded("assistant.cli.network.satellite") & needed
    assert needed <= loaded("spake2")


def test_a_part_that_loads_more_would_be_noticed(pinned: set[str]) -> None:
    assert "onnxruntime" in loaded("audio.wake.select") - pinned
