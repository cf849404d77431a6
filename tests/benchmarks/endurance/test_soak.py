"""Hundreds of utterances back to back let nothing grow, and a stage that leaks is noticed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.endurance.growth import Look, growths
from benchmarks.endurance.journal import Journal
from benchmarks.endurance.soak import TEXTS, Said, Soak

MB = 1_000_000
LEAKY = Path(__file__).parents[2] / "skills" / "leaky"
LEAK = "spring a leak"
NEEDED = [program for program in ("mosquitto", "flite") if shutil.which(program) is None]


def looks(*sizes_mb: float, name: str = "nlu", pid: int = 7, files: int = 30) -> list[Look]:
    """One look every ten utterances."""
    return [
        Look(
            utterances=10 * number,
            name=name,
            pid=pid,
            resident_bytes=round(size_mb * MB),
            descriptors=files,
        )
        for number, size_mb in enumerate(sizes_mb)
    ]


def test_what_stays_is_no_growth_and_one_look_decides_nothing() -> None:
    sizes = [100.0 + number % 2 for number in range(60)]
    sizes[55] = 500.0
    (found,) = growths(looks(*sizes), warm=200)
    assert abs(found.grown_mb) < 0.1
    assert found.utterances == 390


def test_growth_while_it_warms_up_does_not_count() -> None:
    (found,) = growths(looks(*range(100, 120), *[120.0] * 40), warm=200)
    assert (found.grown_mb, found.mb_per_1000) == (0.0, 0.0)


def test_a_slow_leak_is_seen() -> None:
    (found,) = growths(looks(*(100.0 + 0.05 * number for number in range(60))), warm=200)
    assert found.grown_mb == 1.5
    assert found.mb_per_1000 == 5.0


def test_what_the_first_reload_takes_is_told_apart_from_what_later_ones_take() -> None:
    sizes = [100.0] * 40 + [107.0] * 20 + [109.0] * 20
    (found,) = growths(looks(*sizes), warm=200, reloads=[395, 595])
    assert (found.grown_mb, found.reload_mb) == (9.0, 7.0)
    (found,) = growths(looks(*sizes), warm=200, reloads=[100, 395, 595])
    assert (found.grown_mb, found.reload_mb) == (9.0, 0.0)  # the first one was while it was warming


def test_files_that_stay_open_are_counted() -> None:
    before, after = looks(*[100.0] * 40), looks(*[100.0] * 60, files=33)[40:]
    (found,) = growths([*before, *after], warm=0)
    assert found.files == 3


def test_a_process_that_was_restarted_begins_anew() -> None:
    first = looks(*[100.0] * 50)
    second = looks(*[0.0] * 50, *[300.0] * 50, pid=8)[50:]
    assert [one.grown_mb for one in growths([*first, *second], warm=200)] == [0.0, 0.0]
    assert not growths(looks(*[100.0] * 30), warm=200)


def test_a_line_that_a_kill_has_cut_off_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "journal"
    journal: Journal[Said] = Journal(file, Said)
    said = Said(spoken=True, reply_s=0.5)
    journal.write(said)
    journal.close()
    file.write_bytes(file.read_bytes() + b'{"type":"Sa')
    journal = Journal(file, Said)
    journal.write(said)
    journal.close()
    journal = Journal(file, Said)
    journal.close()
    assert journal.lines == [said, said]


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.skipif(bool(NEEDED), reason=f"not installed: {NEEDED}")
def test_two_hundred_utterances_leave_everything_as_large_as_it_was(tmp_path: Path) -> None:
    soak = Soak(tmp_path / "daemon", utterances=80, spoken=2)
    try:
        assert soak.run().utterances == 80
    finally:
        soak.close()
    soak = Soak(tmp_path / "daemon", utterances=200, spoken=6, warm=0)
    try:
        found = soak.run()
    finally:
        soak.close()
    assert (found.utterances, found.unanswered, found.tracebacks) == (200, 0, ())
    assert found.reply_p50_s < 2.0


@pytest.mark.e2e
@pytest.mark.skipif(bool(NEEDED), reason=f"not installed: {NEEDED}")
@pytest.mark.long
def test_a_skill_that_leaks_is_noticed(tmp_path: Path) -> None:
    settings = f'[skills]\nfolders = ["{LEAKY}"]\n'
    texts = (LEAK, *TEXTS[:2])
    soak = Soak(tmp_path / "daemon", 240, 0, settings, texts, warm=0)
    try:
        found = soak.run()
    finally:
        soak.close()
    others = [one for one in found.growth if one.name.startswith("skills, child")]
    assert max(one.grown_mb for one in others) > 1.0
    assert not found.sound
