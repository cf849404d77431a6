"""The list of signing keys: signed by two of three roots, and replaced by newer ones alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assistant.core.errors import ModelError
from assistant.model_files.signing.keys import VouchedKeys, check_vouched, read_roots
from assistant.model_files.signing.minisign import make_key, read_signature, write_key
from assistant.model_files.signing.trust import Trust, keys_in_force
from tests.support.signing import Maintainer


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    return Maintainer(tmp_path)


def refused(maintainer: Maintainer, vouched: VouchedKeys) -> str:
    with pytest.raises(ModelError) as refusal:
        check_vouched(vouched, maintainer.trusted)
    return refusal.value.code


@pytest.mark.parametrize("signers", [(0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_two_of_the_three_roots_are_enough(
    maintainer: Maintainer, signers: tuple[int, ...]
) -> None:
    by = [maintainer.roots[number] for number in signers]
    vouched = maintainer.listed(4, [maintainer.key], by)
    assert check_vouched(vouched, maintainer.trusted).counter == 4


def test_one_root_is_not_enough_even_twice(maintainer: Maintainer) -> None:
    root = maintainer.roots[0]
    assert refused(maintainer, maintainer.listed(1, [maintainer.key], [root])) == "model.keys"
    twice = maintainer.listed(1, [maintainer.key], [root, root])
    assert refused(maintainer, twice) == "model.keys"


def test_a_signature_of_a_stranger_is_refused(maintainer: Maintainer) -> None:
    by = [*maintainer.roots[:2], make_key()]
    assert refused(maintainer, maintainer.listed(1, [maintainer.key], by)) == "model.keys"


def test_a_stranger_with_a_root_s_id_is_refused(maintainer: Maintainer) -> None:
    posing = msgspec.structs.replace(make_key(), public=maintainer.roots[0].public)
    by = [posing, maintainer.roots[1]]
    assert refused(maintainer, maintainer.listed(1, [maintainer.key], by)) == "model.signature"


def test_a_changed_list_is_refused(maintainer: Maintainer) -> None:
    signed = maintainer.keys
    changed = msgspec.structs.replace(
        signed, content=signed.content.replace('"counter":1', '"counter":9')
    )
    assert changed != signed
    assert refused(maintainer, changed) == "model.signature"


@pytest.mark.parametrize(
    "content",
    [
        '{"format":1,"counter":1,"keys":["x"],"more":1}',
        '{"format": 1,"counter":1,"keys":["x"]}',
        '{"format":1,"counter":0,"keys":["x"]}',
        '{"format":1,"counter":1,"keys":[]}',
        '{"format":2,"counter":1,"keys":["x"]}',
        '{"format":1,"counter":1,"counter":1,"keys":["x"]}',
    ],
)
def test_a_list_in_another_form_is_refused_even_when_signed(
    maintainer: Maintainer, content: str
) -> None:
    signatures = [read_signature(root.sign(content.encode()).text, "") for root in maintainer.roots]
    texts = tuple(s.text for s in sorted(signatures, key=lambda s: s.key_id))
    assert refused(maintainer, VouchedKeys(content=content, signatures=texts)) == "model.keys"


def test_a_newer_list_takes_the_place_of_an_older_one(maintainer: Maintainer) -> None:
    older = maintainer.listed(1, [maintainer.key])
    newer = maintainer.listed(2, [make_key()])
    trusted = maintainer.trusted
    assert keys_in_force(Trust(), older, trusted).counter == 1
    assert keys_in_force(Trust(keys=older), newer, trusted).counter == 2
    assert keys_in_force(Trust(keys=newer), older, trusted).counter == 2


def test_two_lists_of_one_number_are_refused(maintainer: Maintainer) -> None:
    other = maintainer.listed(1, [make_key()])
    with pytest.raises(ModelError, match="two lists of signing keys with the number 1"):
        keys_in_force(Trust(keys=maintainer.keys), other, maintainer.trusted)


def test_a_list_that_is_kept_counts_only_while_its_roots_are_trusted(
    maintainer: Maintainer, tmp_path: Path
) -> None:
    kept = Trust(keys=Maintainer(tmp_path).listed(5, [make_key()]))
    with pytest.raises(ModelError, match="kept here must be signed by 2 of the trusted root keys"):
        keys_in_force(kept, maintainer.keys, maintainer.trusted)
    newer = maintainer.listed(6, [maintainer.key])
    assert keys_in_force(kept, newer, maintainer.trusted).counter == 6


def test_the_roots_are_three_public_keys_joined(tmp_path: Path) -> None:
    texts = []
    for number in range(3):
        public = tmp_path / f"{number}.pub"
        write_key(make_key(), tmp_path / f"{number}.key", public, "")
        texts.append(public.read_text())
    roots = tmp_path / "roots.pub"
    roots.write_text("".join(texts))
    assert len({key.id for key in read_roots(roots)}) == 3
    for wrong in (texts[:2], [texts[0], texts[1], texts[1]], [*texts, texts[0]], ["x\n"]):
        roots.write_text("".join(wrong))
        with pytest.raises(ModelError):
            read_roots(roots)


def test_without_roots_nothing_is_trusted() -> None:
    with pytest.raises(ModelError) as refusal:
        read_roots(None)
    assert refusal.value.code == "model.no_roots"
