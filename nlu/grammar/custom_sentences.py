"""Reads the user's own sentences, in Home Assistant's format `custom_sentences/*.yaml`.

The format: https://www.home-assistant.io/voice_control/custom_sentences_yaml/
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.core.errors import InputError
from assistant.core.files import read_text
from assistant.core.yaml_text import YamlError, read_yaml
from nlu.grammar.block_binding import bound
from nlu.grammar.blocks import (
    Block,
    BlockError,
    SentenceFile,
    read_blocks,
    read_document,
    read_lists,
)
from nlu.grammar.vocabulary import Vocabulary, package

_LANGUAGE = "en"


def load_vocabulary(folder: Path | None) -> Vocabulary:
    """The user's sentences of a folder, if one is given, then Home Assistant's vocabulary.

    Files lie in the folder itself or in its folder "en". A rule or a list of one file is valid in
    all of them, and replaces the package's rule or list of that name there. Raises `InputError`
    that names the file, and the intent and sentence that are wrong.
    """
    common = package()
    if folder is None:
        return common.vocabulary
    documents = {file: _document(file) for file in sentence_files(folder)}
    rules, lists = dict(common.rules), dict(common.lists)
    for file, document in documents.items():
        rules |= document.expansion_rules
        with _named(file):
            lists |= read_lists(document, f"{folder} ")
    blocks: list[Block] = []
    for file, document in documents.items():
        with _named(file):
            blocks += read_blocks(document, rules, lists, str(file), custom=True)
    bound(Vocabulary(tuple(blocks)))  # an invalid sentence is reported here
    own_skip_words = [word for document in documents.values() for word in document.skip_words]
    return Vocabulary(
        blocks=(*blocks, *common.vocabulary.blocks),
        skip_words=tuple(dict.fromkeys([*own_skip_words, *common.vocabulary.skip_words])),
    )


def sentence_files(folder: Path) -> list[Path]:
    """The files of a folder; raises `InputError` where there is no such folder."""
    if not folder.is_dir():
        raise InputError("custom_sentences.missing", f"{folder}: there is no such folder")
    places = (folder, folder / _LANGUAGE)
    return [f for p in places for f in sorted((*p.glob("*.yaml"), *p.glob("*.yml")))]


def _document(file: Path) -> SentenceFile:
    with _named(file):
        try:
            document = read_document(read_yaml(read_text(file)) or {})
        except OSError as error:
            raise BlockError(str(error.strerror)) from error
        except (YamlError, UnicodeDecodeError) as error:
            raise BlockError(str(error)) from error
        if not document.language.startswith(_LANGUAGE):
            raise BlockError(f'language "{document.language[:20]}": only English is understood')
    return document


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Name the file in an error about its content."""
    try:
        yield
    except BlockError as error:
        raise InputError("custom_sentences.wrong", f"{file}: {error}") from error
