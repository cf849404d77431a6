"""Files come, change, move and go, and the passages follow; a fake parser reads their lines."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from assistant.answer.ingest.collection import AGAIN_AFTER_S, LOOK_EVERY_S, Collection
from assistant.answer.ingest.encoding import PassageEncoding
from assistant.answer.ingest.parser_client import ParsedFile
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Document, Passage
from assistant.answer.knowledge.query import Filter
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.core.errors import AnswerError, ModelError, StorageError
from assistant.core.messages import (
    DocumentsDone,
    DocumentsListed,
    DocumentsProgress,
    DocumentsRequest,
    Message,
)
from tests.support.fake_encoder import FakeEncoder

SUFFIXES = (".txt", ".md")

READING = "I'm still reading your documents."


class LineParser:
    """Each line a passage; a file that holds "bad" cannot be read. Every file takes two polls."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self._path: Path | None = None
        self._polls = 0

    def begin(self, path: Path) -> None:
        assert self._path is None
        self._path, self._polls = path, 0
        self.read.append(path.name)

    def poll(self) -> ParsedFile | None:
        assert self._path is not None
        self._polls += 1
        if self._polls < 2:
            return None
        path, self._path = self._path, None
        content = path.read_bytes()
        if b"bad" in content:
            raise AnswerError("answer.unreadable", f"{path.name} is damaged")
        lines = content.decode().splitlines()
        return ParsedFile(
            path=path,
            sha256=hashlib.sha256(content).hexdigest(),
            document=Document(title=path.stem.title()),
            passages=tuple(Passage(text=line, title=path.stem.title()) for line in lines),
        )

    def close(self) -> None:
        self._path = None


class Desk:
    """A collection on a clock of its own, over a folder of documents."""

    def __init__(self, folder: Path, path: Path | None = None, *folders: Path) -> None:
        self.folder = folder
        self.folder.mkdir(exist_ok=True)
        self.now_s = 0.0
        self.parser, self.encoder = LineParser(), FakeEncoder()
        self.knowledge = Knowledge(path)
        self.index = VectorIndex(self.knowledge.vectors, self.encoder.version)
        self.collection = Collection(
            self.knowledge, self.encoding(), self.parser, SUFFIXES, folders
        )

    def encoding(self) -> PassageEncoding:
        forgotten = self.knowledge.sources.forgotten
        return PassageEncoding(self.knowledge.vectors, self.index, self.encoder, forgotten)

    def write(self, name: str, *lines: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(lines))
        # The clock of a quick test stands still between two changes.
        os.utime(file, ns=(0, hash((lines, name)) % 10**15))
        return file

    def ask(self, action: str, *names: object) -> list[Message]:
        request = DocumentsRequest(
            request_id="r",
            action=action,
            arguments=tuple(map(str, names)),  # type: ignore[arg-type]
        )
        return [*self.collection.take(request), *self.rest()]

    def rest(self) -> list[Message]:
        """Work until nothing is left to do; the look at the disk is not repeated."""
        told: list[Message] = []
        for _ in range(1000):
            told += self.collection.step(self.now_s)
            due_s = self.collection.deadline_s()
            if due_s > self.now_s + LOOK_EVERY_S / 2:
                return told
            self.now_s = max(self.now_s + 0.001, due_s)
        raise AssertionError("it never rests")

    def later(self) -> list[Message]:
        """What follows from the next look."""
        self.now_s = self.collection.deadline_s()
        return self.rest()

    def texts(self) -> set[str]:
        stored = self.knowledge.passages.read(self.knowledge.passages.within(Filter()))
        return {s.passage.text for s in stored}

    def nearest(self, question: str) -> str:
        ids, _ = self.index.search(self.encoder.encode([question])[0], 1)
        (stored,) = self.knowledge.passages.read(ids.tolist())
        return stored.passage.text

    def close(self) -> None:
        self.collection.close()
        self.knowledge.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "docs")
    yield made
    made.close()


def done(told: list[Message]) -> DocumentsDone:
    (last,) = [message for message in told if isinstance(message, DocumentsDone)]
    assert last.request_id == "r"
    return last


def test_a_folder_is_read_and_found_by_words_and_by_meaning(desk: Desk) -> None:
    desk.write("tea.txt", "green tea steeps for two minutes", "black tea for four")
    desk.write("deep/cake.md", "the cake is baked at 180 degrees")
    desk.write("photo.jpg", "no text")
    desk.write(".hidden.txt", "a secret")
    told = done(desk.ask("add", desk.folder))
    assert (told.documents, told.passages, told.error) == (2, 3, "")
    assert (
        desk.nearest("at how many degrees is the cake baked") == "the cake is baked at 180 degrees"
    )
    assert len(desk.knowledge.passages.matching("tea", 10)) == 2


def test_progress_is_told_in_the_end(desk: Desk) -> None:
    desk.write("tea.txt", *(f"line {n}" for n in range(20)))
    told = desk.ask("add", desk.folder)
    last = [m for m in told if isinstance(m, DocumentsProgress)][-1]
    assert (last.files_done, last.files, last.encoded, last.passages) == (1, 1, 20, 20)


def test_what_comes_changes_and_goes_is_followed(desk: Desk) -> None:
    desk.write("a.txt", "one", "two")
    gone = desk.write("b.txt", "three")
    desk.ask("add", desk.folder)
    desk.write("a.txt", "one", "deux")
    desk.write("c.txt", "four")
    gone.unlink()
    desk.later()
    assert desk.texts() == {"one", "deux", "four"}
    # What stayed was not encoded again, and what went is not found.
    encoded = {text.split(". ")[1] for text in desk.encoder.encoded}
    assert encoded == {"deux", "four", "one", "three", "two"}
    assert len(desk.index) == 3


def test_nothing_is_read_twice(desk: Desk) -> None:
    file = desk.write("a.txt", "one")
    desk.ask("add", desk.folder)
    desk.later()
    assert desk.parser.read == ["a.txt"]
    os.utime(file)  # another time, the same content
    generation = desk.knowledge.generation
    desk.later()
    desk.later()
    assert desk.parser.read == ["a.txt", "a.txt"]
    assert desk.knowledge.generation == generation


def test_a_moved_file_keeps_its_passages(desk: Desk) -> None:
    old = desk.write("a.txt", "one", "two")
    desk.write("b.txt", "other")
    desk.ask("add", desk.folder)
    ids = desk.knowledge.passages.within(Filter())
    old.rename(desk.folder / "renamed.txt")
    desk.later()
    assert desk.knowledge.passages.within(Filter()) == ids
    assert {s.path.name for s in desk.knowledge.sources.all()} == {"renamed.txt", "b.txt"}
    assert desk.parser.read == ["a.txt", "b.txt"]
    assert len(desk.encoder.encoded) == 3


def test_a_file_that_cannot_be_read_costs_only_itself(desk: Desk) -> None:
    desk.write("a.txt", "bad")
    desk.write("b.txt", "good")
    told = desk.ask("add", desk.folder)
    faults = [m.fault for m in told if isinstance(m, DocumentsProgress) and m.fault]
    assert faults == ["a.txt is damaged"]
    assert done(told).passages == 1
    (listed,) = [m for m in desk.ask("list") if isinstance(m, DocumentsListed)]
    assert [(d.title, d.fault) for d in listed.documents] == [("a", "a.txt is damaged"), ("B", "")]
    desk.later()
    assert desk.parser.read.count("a.txt") == 1
    desk.write("a.txt", "mended")
    desk.later()
    assert desk.texts() == {"mended", "good"}


def test_no_link_leads_out_of_what_was_added(desk: Desk, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret word is swordfish")
    (tmp_path / "safe").mkdir()
    (tmp_path / "safe" / "key.txt").write_text("the secret key is under the mat")
    desk.write("a.txt", "the lamp is red")
    (desk.folder / "out.txt").symlink_to(secret)
    (desk.folder / "in.txt").symlink_to(desk.folder / "a.txt")
    (desk.folder / "chain.txt").symlink_to("out.txt")
    (desk.folder / "loop.txt").symlink_to("loop.txt")
    (desk.folder / "safe").symlink_to(tmp_path / "safe")
    os.mkfifo(desk.folder / "pipe.txt")
    desk.ask("add", desk.folder)
    assert [source.path.name for source in desk.knowledge.sources.all()] == ["a.txt"]
    assert desk.knowledge.passages.matching("secret", 5) == []


def test_what_a_link_took_the_place_of_is_forgotten_and_not_read(
    desk: Desk, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret word is swordfish")
    file = desk.write("a.txt", "the lamp is red")
    desk.ask("add", desk.folder)
    file.unlink()
    file.symlink_to(secret)
    desk.later()
    assert desk.knowledge.sources.all() == []


def test_a_folder_that_became_a_link_is_away(desk: Desk, tmp_path: Path) -> None:
    desk.write("a.txt", "the lamp is red")
    desk.ask("add", desk.folder)
    desk.folder.rename(tmp_path / "moved")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("the secret word is swordfish")
    desk.folder.symlink_to(tmp_path / "other")
    desk.later()
    (source,) = desk.knowledge.sources.all()
    assert (source.path.name, source.passages) == ("a.txt", 1)
    assert desk.knowledge.passages.matching("secret", 5) == []


def test_an_added_file_that_became_a_link_is_away(desk: Desk, tmp_path: Path) -> None:
    file = desk.write("a.txt", "the lamp is red")
    desk.ask("add", file)
    (tmp_path / "other.txt").write_text("the secret word is swordfish")
    file.unlink()
    file.symlink_to(tmp_path / "other.txt")
    desk.later()
    (source,) = desk.knowledge.sources.all()
    assert (source.passages, source.fault) == (1, "")
    assert desk.knowledge.passages.matching("secret", 5) == []


def test_names_that_no_one_can_read_are_told_in_one_line(desk: Desk) -> None:
    desk.write("a.txt", "the lamp is red")
    os.mkdir(os.fsencode(desk.folder) + b"/\xff\xfe")
    for name in (b"no\xffutf8.txt", b"two\nlines.txt", b"\x1b[2Jescape.txt"):
        Path(os.fsdecode(os.fsencode(desk.folder) + b"/" + name)).write_text("unread")
    for name in ("narrow\u202fspace.txt", "größe 🙂.txt"):
        desk.write(name, "a name of these days")
    told = desk.ask("add", desk.folder)
    (fault,) = [m.fault for m in told if isinstance(m, DocumentsProgress) and m.fault]
    assert fault.startswith("4 files or folders have names that no one can read")
    assert len(desk.knowledge.sources.all()) == 3
    assert [m for m in desk.later() if isinstance(m, DocumentsProgress) and m.fault] == []


def test_a_single_file_may_have_any_name(desk: Desk) -> None:
    file = desk.write("NOTES", "the key is under the mat")
    assert done(desk.ask("add", file)).passages == 1


def test_what_is_not_there_is_refused(desk: Desk) -> None:
    told = done(desk.ask("add", desk.folder / "nothing.txt"))
    assert "nothing.txt is not there" in told.error


@pytest.mark.parametrize("name", ["", ".", "docs", "a\0b", "/a\0b"])
def test_what_is_no_path_from_the_root_is_refused(desk: Desk, name: str) -> None:
    assert "is no path from the root" in done(desk.ask("add", name)).error
    assert desk.texts() == set()


@pytest.mark.parametrize("name", ["", "a\0b", "/a\0b"])
def test_nor_is_it_a_document_to_be_removed(desk: Desk, name: str) -> None:
    desk.write("a.txt", "one")
    desk.ask("add", desk.folder)
    assert "is no document's path or title" in done(desk.ask("remove", name)).error
    assert len(desk.texts()) == 1


@pytest.mark.parametrize("name", ["A", "a.txt", "PATH"])
def test_a_document_is_removed_by_title_name_or_path_and_stays_away(desk: Desk, name: str) -> None:
    file = desk.write("a.txt", "one", "two")
    desk.write("b.txt", "three")
    desk.ask("add", desk.folder)
    told = done(desk.ask("remove", file if name == "PATH" else name))
    assert (told.documents, told.passages) == (1, 2)
    desk.later()
    assert desk.texts() == {"three"}
    assert len(desk.index) == 1
    desk.ask("add", file)
    assert desk.texts() == {"one", "two", "three"}


def test_a_document_that_is_away_can_be_removed(desk: Desk) -> None:
    file = desk.write("a.txt", "one")
    desk.write("b.txt", "two")
    desk.ask("add", desk.folder)
    desk.folder.rename(desk.folder.with_name("away"))
    assert done(desk.ask("remove", file)).documents == 1
    assert desk.texts() == {"two"}


def test_a_folder_is_removed_with_all_that_is_below(desk: Desk) -> None:
    desk.write("a.txt", "one")
    desk.write("deep/b.txt", "two")
    desk.ask("add", desk.folder)
    assert done(desk.ask("remove", desk.folder / "deep")).documents == 1
    assert done(desk.ask("remove", desk.folder)).documents == 1
    desk.later()
    assert desk.texts() == set()
    assert desk.knowledge.roots.all() == {}


def test_a_name_that_says_nothing_or_too_much_is_told(desk: Desk) -> None:
    desk.write("a.txt", "one")
    desk.write("deep/a.txt", "two")
    desk.ask("add", desk.folder)
    assert "is no document's path or title" in done(desk.ask("remove", "z")).error
    assert "give the path" in done(desk.ask("remove", "A")).error
    assert len(desk.texts()) == 2


def test_a_disk_that_is_away_takes_nothing_with_it(desk: Desk) -> None:
    desk.write("a.txt", "one")
    desk.ask("add", desk.folder)
    away = desk.folder.rename(desk.folder.with_name("away"))
    desk.later()
    assert desk.texts() == {"one"}
    (listed,) = [m for m in desk.ask("list") if isinstance(m, DocumentsListed)]
    assert listed.documents[0].fault == "it is not there now"
    away.rename(desk.folder)
    desk.later()
    assert desk.parser.read == ["a.txt"]


def test_an_emptied_folder_is_empty(desk: Desk) -> None:
    file = desk.write("a.txt", "one")
    desk.ask("add", desk.folder)
    file.unlink()
    desk.later()
    assert desk.texts() == set()


def test_an_added_file_that_is_deleted_is_forgotten(desk: Desk) -> None:
    file = desk.write("a.txt", "one")
    desk.ask("add", file)
    file.unlink()
    desk.later()
    assert desk.texts() == set()


def test_the_settings_folders_are_wanted_from_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    desk = Desk(folder, None, folder)
    desk.write("a.txt", "one")
    desk.rest()
    assert desk.texts() == {"one"}
    desk.ask("remove", folder / "a.txt")
    assert desk.texts() == set()
    desk.close()


def test_words_find_what_has_no_vector_yet(desk: Desk) -> None:
    desk.write("a.txt", *(f"fact number {n}" for n in range(50)))
    request = DocumentsRequest(request_id="r", action="add", arguments=(str(desk.folder),))
    list(desk.collection.take(request))
    while len(desk.knowledge.passages.matching("fact", 100)) < 50:
        list(desk.collection.step(0.0))
    assert len(desk.index) < 50
    desk.rest()
    assert len(desk.index) == 50


def test_no_slice_encodes_much(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    encode: Callable[..., object] = desk.encoder.encode
    monkeypatch.setattr(desk.encoder, "encode", lambda t: sizes.append(len(t)) or encode(t))
    desk.write("short.txt", *(f"fact {n}" for n in range(20)))
    desk.write("wordy.txt", *(f"{n} " * 150 for n in range(5)))
    desk.ask("add", desk.folder)
    assert sorted(sizes) == [1, 1, 1, 1, 5, 8, 8]


def test_without_an_encoder_words_alone_serve(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    knowledge = Knowledge(None)
    collection = Collection(knowledge, None, LineParser(), SUFFIXES, [tmp_path])
    for _ in range(20):
        list(collection.step(0.0))
    assert len(knowledge.passages.matching("one", 1)) == 1
    assert collection.deadline_s() >= LOOK_EVERY_S
    knowledge.close()


def drain(told: list[Message], desk: Desk) -> None:
    for _ in range(20):
        for message in desk.collection.step(5.0):
            told.append(message)


def test_a_full_disk_is_told_and_tried_again_later(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.txt", "one")
    with monkeypatch.context() as patch:

        def full(*_: object) -> None:
            raise StorageError("storage.full", "the disk is full")

        patch.setattr(desk.knowledge.sources, "adding", full)
        told: list[Message] = []
        request = DocumentsRequest(request_id="r", action="add", arguments=(str(desk.folder),))
        told += desk.collection.take(request)
        with pytest.raises(StorageError):
            drain(told, desk)
        assert done(told).error == "the disk is full"
        assert desk.collection.deadline_s() == 5.0 + AGAIN_AFTER_S
    desk.later()
    assert desk.texts() == {"one"}


def faults_of_an_hour(desk: Desk) -> list[str]:
    found, now_s = [], desk.now_s
    while desk.collection.deadline_s() < now_s + 3600.0:
        desk.now_s = max(desk.now_s + 0.001, desk.collection.deadline_s())
        try:
            list(desk.collection.step(desk.now_s))
        except (ModelError, RuntimeError) as error:
            found.append(str(error))
            if isinstance(error, RuntimeError):
                assert desk.collection.deadline_s() >= desk.now_s + AGAIN_AFTER_S
    return found


def test_a_fault_that_lasts_is_told_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.ask("add", desk.folder)

    def missing(*_: object) -> None:
        raise ModelError("model.missing", "there is no such file")

    with monkeypatch.context() as patch:
        patch.setattr(desk.encoder, "encode", missing)
        desk.write("a.txt", "one")
        assert len(faults_of_an_hour(desk)) == 1
    desk.later()
    assert desk.nearest("one") == "one"
    monkeypatch.setattr(desk.encoder, "encode", missing)
    desk.write("b.txt", "two")
    assert len(faults_of_an_hour(desk)) == 1


def test_what_cannot_be_encoded_is_read_and_found_by_its_words(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def corrupt(*_: object) -> None:
        raise ModelError("model.corrupt", "its hash is another")

    monkeypatch.setattr(desk.encoder, "encode", corrupt)
    for name in ("a.txt", "b.txt", "c.txt"):
        desk.write(name, f"the word of {name}")
    told = list(desk.collection.take(_add(desk.folder)))
    for _ in range(100):
        with suppress(ModelError):
            told += desk.collection.step(desk.now_s)
        desk.now_s += 0.01
    (done,) = [message for message in told if isinstance(message, DocumentsDone)]
    assert (done.documents, done.passages, done.error) == (3, 3, "")
    assert len(desk.knowledge.passages.matching("word", 10)) == 3


def test_who_waits_is_told_by_the_collection_that_takes_the_place_of_the_first(desk: Desk) -> None:
    desk.write("a.txt", "one", "two")
    waiting: dict[str, DocumentsDone | None] = {}

    def made() -> Collection:
        return Collection(desk.knowledge, desk.encoding(), desk.parser, SUFFIXES, (), None, waiting)

    first = made()
    assert list(first.take(_add(desk.folder))) == []
    list(first.step(desk.now_s))
    assert list(waiting) == ["r"]
    first.close()
    desk.collection = made()
    (done,) = [message for message in desk.rest() if isinstance(message, DocumentsDone)]
    assert (done.request_id, done.documents, done.passages) == ("r", 1, 2)


def _add(folder: Path) -> DocumentsRequest:
    return DocumentsRequest(request_id="r", action="add", arguments=(str(folder),))


def test_what_no_one_foresaw_does_not_keep_the_loop_busy(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.ask("add", desk.folder)

    def fails(*_: object) -> None:
        raise RuntimeError("of another library")

    monkeypatch.setattr(desk.encoder, "encode", fails)
    desk.write("a.txt", "one")
    assert 0 < len(faults_of_an_hour(desk)) <= 3600 / AGAIN_AFTER_S + 1


def test_what_changed_is_told_to_be_unread_until_it_is_read(tmp_path: Path) -> None:
    with closing(Desk(tmp_path / "notes", None, tmp_path / "notes")) as desk:
        desk.write("a.txt", "bad")
        desk.write("b.txt", "One line.")
        assert desk.knowledge.unread() == READING
        while not desk.knowledge.sources.holds("document"):
            list(desk.collection.step(desk.now_s))
        assert desk.knowledge.unread() == READING
        desk.rest()
        assert desk.knowledge.unread() == "I can't read a.txt."
        desk.write("a.txt", "Good.")
        desk.collection.look_anew()
        assert desk.knowledge.unread() == READING
        desk.rest()
        assert desk.knowledge.unread() == ""
