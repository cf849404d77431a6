"""What a kernel lacks of the confinement is found by trying, and the try leaves nothing behind."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable

import pytest

from assistant.core.confinement import trial
from assistant.core.confinement.rights import CALLS_FILTER


def test_this_kernel_is_tried_and_this_process_is_as_before() -> None:
    def rights() -> tuple[object, ...]:
        limits = (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)
        namespaces = (os.readlink(f"/proc/self/ns/{name}") for name in ("user", "net"))
        return (*map(resource.getrlimit, limits), *namespaces)

    before = rights()
    refused = trial.refusals()
    assert CALLS_FILTER not in refused  # the tests of skills need it
    assert not {trial.MEMORY_LIMIT, trial.FILES_LIMIT} & set(refused)
    assert rights() == before


@pytest.mark.parametrize(
    ("name", "lacks", "told"),
    [
        ("limit", lambda *_: None, (trial.MEMORY_LIMIT, trial.FILES_LIMIT)),
        ("isolate", lambda *_: ["a network namespace (x)", CALLS_FILTER], (CALLS_FILTER,)),
        ("_no_landlock", lambda: [trial.LANDLOCK], (trial.LANDLOCK,)),
    ],
)
def test_what_a_kernel_does_not_keep_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str, lacks: Callable[..., object], told: tuple[str, ...]
) -> None:
    monkeypatch.setattr(trial, name, lacks)
    assert set(told) <= set(trial.refusals())
