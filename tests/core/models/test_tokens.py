"""Word pieces: cut where there are too many, and filled up to rows of one length."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from assistant.core.errors import ModelError
from assistant.core.models import tokens
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.models.shared import SOURCE
from assistant.core.models.tokens import (
    BATCH,
    as_inputs,
    batches_by_length,
    keep_tokenizer,
    load_tokenizer,
    padded,
    tokenizer_of,
)


def numbers() -> bytes:
    """A tokenizer of the words "0" to "9", each its own piece."""
    tokenizer = Tokenizer(WordLevel({str(n): n for n in range(10)}, unk_token="0"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_padding(length=8)
    content: str = tokenizer.to_str()
    return content.encode()


def test_a_text_is_cut_and_never_filled_up() -> None:
    tokenizer = load_tokenizer(numbers(), 3)
    assert tokenizer.encode("1 2").ids == [1, 2]
    assert tokenizer.encode("1 2 3 4 5").ids == [1, 2, 3]


@pytest.mark.parametrize(
    ("cut", "ids"),
    [
        ("longest_first", [1, 2, 7, 8]),
        ("only_first", [1, 7, 8, 9]),
        ("only_second", [1, 2, 3, 7]),
    ],
)
def test_of_a_pair_what_was_asked_for_gives_way(cut: str, ids: list[int]) -> None:
    assert load_tokenizer(numbers(), 4, cut).encode("1 2 3", "7 8 9").ids == ids


def test_of_a_pair_both_give_way_unless_asked_otherwise() -> None:
    assert load_tokenizer(numbers(), 4).encode("1 2 3", "7 8 9").ids == [1, 2, 7, 8]


def test_a_kept_tokenizer_is_shared_by_those_of_any_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = Library(SHIPPED).read_file(SOURCE, "tokenizer.json")
    monkeypatch.setattr(tokens, "KEPT", {})
    texts = ["Dim the [SEP] kitchen lights, please", ("How long?", "Ten minutes, naïvely 1.5.")]
    own = load_tokenizer(content, 64)
    keep_tokenizer(content)
    shorter, shared = load_tokenizer(content, 3), load_tokenizer(content, 64)
    for text in texts:
        assert shared.encode(*as_pair(text)).ids == own.encode(*as_pair(text)).ids
        assert shorter.encode(*as_pair(text)).ids != own.encode(*as_pair(text)).ids
    assert shared.decode(shared.encode("kitchen").ids) == "kitchen"


def as_pair(text: str | tuple[str, str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else text


def test_words_of_ones_own_are_shared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer.from_buffer(numbers())
    tokenizer.add_tokens(["ten"])
    monkeypatch.setattr(tokens, "KEPT", {})
    keep_tokenizer(content := tokenizer.to_str().encode())
    assert load_tokenizer(content, 3).encode("1 ten 2").ids == [1, 10, 2]


def test_rows_are_filled_up_to_the_longest_and_the_mask_says_where() -> None:
    inputs = as_inputs([[5, 6, 7], [8]])
    assert inputs["input_ids"].tolist() == [[5, 6, 7], [8, 0, 0]]
    assert inputs["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert set(inputs) == {"input_ids", "attention_mask"}
    assert padded([[1], [2, 3]]).dtype.name == "int64"


def test_rows_of_like_length_are_together_and_each_is_in_one_batch() -> None:
    assert list(batches_by_length([5, 1, 4, 2, 3], size=2)) == [[1, 3], [4, 2], [0]]
    assert [len(batch) for batch in batches_by_length([1] * (BATCH + 1))] == [BATCH, 1]
    assert list(batches_by_length([])) == []


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff"])
def test_what_is_no_tokenizer_is_named(content: bytes) -> None:
    with pytest.raises(ModelError, match="the tokenizer cannot be loaded: ") as fault:
        load_tokenizer(content, 3)
    assert fault.value.code == "model.unusable"
    with pytest.raises(ModelError, match=r"words/tokenizer\.json cannot be loaded: "):
        tokenizer_of(content, "words/tokenizer.json")
