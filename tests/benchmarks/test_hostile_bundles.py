"""Each way to tamper with a bundle, once or twice, and what the attack would notice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.model_files.signed import verify_bundle
from benchmarks.hostile.bundles import BUNDLE, LAYOUT, WAYS, Enemy, read, remove

Way = Callable[[Enemy, random.Random], Path]


@pytest.fixture(scope="module")
def enemy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Enemy]:
    return Enemy(tmp_path_factory.mktemp("enemy"))


@pytest.mark.parametrize("way", sorted(set(WAYS), key=lambda way: way.__name__))
def test_what_was_tampered_with_is_refused(enemy: Enemy, way: Way) -> None:
    for seed in range(3):
        path = way(enemy, random.Random(seed))
        assert read(str(path)) == ""
        remove(path)


def test_what_is_tampered_with_would_be_taken_as_it_is(enemy: Enemy) -> None:
    for whole in (BUNDLE, LAYOUT):
        found = verify_bundle(enemy.library, enemy.maintainer.trusted, enemy.folder / whole)
        assert found.manifest.version == "3"


def test_a_bundle_that_is_taken_is_told(tmp_path: Path) -> None:
    enemy = Enemy(tmp_path)
    assert read(str(enemy.signed())) == "it was taken"
