"""The file of tenants, their keys, and how often they may ask."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import ConfigError
from assistant.hub.rate import TokenBucket
from assistant.hub.tenants import CALLS, KEY_BYTES, hash_of, load_tenants, new_key, tenant_with

HASH = hash_of("a key")


def written(folder: Path, text: str) -> Path:
    file = folder / "tenants.toml"
    file.write_text(text, "utf-8")
    return file


def test_a_tenant_is_known_by_its_key_alone(tmp_path: Path) -> None:
    one, other = new_key(), new_key()
    (tmp_path / "home.yaml").touch()
    seaside = f'[seaside]\nkey = "{hash_of(one)}"\nhome = "home.yaml"\n'
    file = written(tmp_path, f'{seaside}[school]\nkey = "{hash_of(other)}"')
    tenants = load_tenants(file)
    assert tenants["seaside"].home == str(tmp_path / "home.yaml")
    assert tenant_with(one, tenants) == "seaside"
    assert tenant_with(other, tenants) == "school"
    assert tenant_with(new_key(), tenants) is None
    assert tenant_with("", tenants) is None
    assert tenant_with(hash_of(one), tenants) is None
    assert one not in file.read_text("utf-8")


def test_it_has_skills_of_its_own_and_may_ask_for_what_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "spa").mkdir()
    mine = 'skills = ["spa"]\nwithout = ["music"]\ncalls = ["interpret", "models"]\n'
    school = f'[school]\nkey = "{hash_of("another key")}"'
    file = written(tmp_path, f'[seaside]\nkey = "{HASH}"\n{mine}{school}')
    seaside, other = load_tenants(file).values()
    assert (seaside.skills, seaside.without) == ((str(tmp_path / "spa"),), ("music",))
    assert seaside.calls == ("interpret", "models")
    assert (other.skills, other.without, other.calls) == ((), (), CALLS)


def test_keys_are_long_and_no_two_alike() -> None:
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100
    assert all(len(key) >= KEY_BYTES * 8 // 6 for key in keys)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there is no tenant"),
        ("[seaside]", "it has no key; run assistant hub key seaside"),
        ('[seaside]\nkey = "a key"', "matching regex"),
        (f'[Seaside]\nkey = "{HASH}"', "small letters"),
        (f'[seaside]\nkey = "{HASH}"\nhomes = "x"', 'there is no "homes"; did you mean "home"?'),
        (f'[seaside]\nkey = "{HASH}"\nhome = "none.yaml"', "there is no /"),
        (f'[seaside]\nkey = "{HASH}"\nburst = 0', ">= 1"),
        (f'[seaside]\nkey = "{HASH}"\ncalls = ["delete"]', "'delete'"),
        (f'[seaside]\nkey = "{HASH}"\nskills = ["none"]', "there is no /"),
        (f'[seaside]\nkey = "{HASH}"\nskills = [""]', "length >= 1"),
        (f'[seaside]\nkey = "{HASH}"\n[school]\nkey = "{HASH}"', "have one key"),
        ("seaside = 1", "must be a section"),
        ("[seaside", "tenants.toml"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, told: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ConfigError) as refused:
        load_tenants(file)
    assert told in refused.value.message
    assert str(file) in refused.value.message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_tenants(tmp_path / "none.toml")


def test_after_a_burst_each_waits_for_its_token() -> None:
    bucket = TokenBucket(per_s=2.0, burst=3)
    assert [bucket.take(100.0) for _ in range(3)] == [0.0] * 3
    assert bucket.take(100.0) == pytest.approx(0.5)
    assert bucket.take(100.5) == 0.0
    assert bucket.take(100.5) == pytest.approx(0.5)


@given(st.lists(st.floats(0.0, 3.0), min_size=1, max_size=200), st.integers(1, 10))
def test_never_more_are_let_through_than_the_rate_allows(pauses: list[float], burst: int) -> None:
    bucket, now_s, let = TokenBucket(per_s=1.0, burst=burst), 1000.0, 0
    for pause in pauses:
        now_s += pause
        let += bucket.take(now_s) == 0.0
    assert let <= burst + (now_s - 1000.0) + 1e-6
