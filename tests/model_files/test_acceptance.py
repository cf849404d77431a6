"""The models that ship pass their canaries, another good version does, and bad ones are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.errors import ModelError
from assistant.core.models.canary import FILE, load_canaries
from assistant.core.models.manifest import SHIPPED, Library
from assistant.model_files.acceptance import KINDS, check_version, refuse_unsound
from benchmarks.endurance.versions import UNSOUND, add, add_unsound


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Version "2" of both models is sound, those of `UNSOUND` of the NER model are not."""
    library = Library(tmp_path_factory.mktemp("versions"))
    for name in ("intent", "ner"):
        add(library, name, "2", seed=2)
    add_unsound(library, "ner")
    return library


@pytest.mark.parametrize("name", ["intent", "ner"])
@pytest.mark.parametrize("version", ["1", "2"])
def test_a_sound_version_passes(library: Library, name: str, version: str) -> None:
    check_version(library.choosing(name, version), name)


@pytest.mark.parametrize("version", UNSOUND)
def test_a_bad_one_is_refused_in_one_line_that_says_why(library: Library, version: str) -> None:
    with pytest.raises(ModelError) as fault:
        refuse_unsound(library.choosing("ner", version), "ner")
    assert UNSOUND[version][0] in fault.value.message
    assert "\n" not in fault.value.message


def test_a_version_that_is_not_there_is_told_with_those_that_are(library: Library) -> None:
    with pytest.raises(ModelError, match="no version 9 here; there are: 1, 2"):
        refuse_unsound(library.choosing("intent", "9"), "intent")


def test_every_kind_of_model_has_a_stage_and_what_has_canaries_can_answer_them() -> None:
    library = Library(Path("/nowhere"), SHIPPED)
    for name, artefact in library.artefacts.items():
        assert artefact.kind in KINDS, name
        if KINDS[artefact.kind].opened is None:
            assert not (SHIPPED / name / FILE).exists(), name
            continue
        canaries = load_canaries(library, name)
        assert canaries is None or len(canaries.cases) >= 10, name
