"""A text as words that are compared."""

from __future__ import annotations

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from assistant.english.words import alphabetic, words

TOKENIZER = "unicode61 remove_diacritics 0"


@given(st.text(alphabet="aZé9_-'. ", max_size=20))
def test_words_are_split_where_the_full_text_index_splits_them(text: str) -> None:
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize='{TOKENIZER}')")
    database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
    database.execute("INSERT INTO t VALUES (?)", (text,))
    found = [term for (term,) in database.execute("SELECT term FROM v ORDER BY offset")]
    database.close()
    assert words(text) == found


def test_letters_alone() -> None:
    assert alphabetic("3pm on Anna_B's 2nd") == ["pm", "on", "anna", "b", "s", "nd"]
