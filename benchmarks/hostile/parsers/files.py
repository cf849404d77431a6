"""Files that a user writes, or has from others: the home, sentences, backups and their records."""

from __future__ import annotations

import gzip
import io
import json
import random
import tarfile
import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from assistant.backup.archive import HOME, OWN, read_archive, write_archive
from assistant.backup.places import settled
from assistant.core.codec import encode
from assistant.core.errors import AssistantError, InputError, SkillError
from assistant.core.messages import HomeDescribed
from assistant.skill.home import MOST_BYTES, load_home
from benchmarks.hostile.parsers.parser import Parser
from benchmarks.hostile.settings import HOME as HOME_YAML
from benchmarks.hostile.settings import SENTENCES as SENTENCES_YAML
from benchmarks.hostile.settings import mutated
from nlu.grammar.custom_sentences import load_vocabulary
from skills.isolation.installed import RECORD, read_record
from skills.isolation.quarantine import Quarantine

_kept: list[Any] = []


@cache
def _folder(name: str) -> Path:
    folder = tempfile.TemporaryDirectory(prefix="hark-parsers-")
    _kept.append(folder)
    path = Path(folder.name) / name
    path.mkdir()
    return path


def _read_home(content: bytes) -> bool:
    file = _folder("home") / "home.yaml"
    file.write_bytes(content)
    home = load_home(file)
    encode(HomeDescribed(text=msgspec.json.encode(home).decode()))
    return True


def _homes(size: int) -> bytes:
    each = "  - name: Lamp %06d\n    id: light.lamp_%06d\n    area: kitchen\n"
    count = max(1, size // len(each))
    return ("entities:\n" + "".join(each % (n, n) for n in range(count))).encode()


HOME_FILE = Parser(
    read=_read_home,
    refusals=(InputError,),
    samples=(HOME_YAML.encode(), _homes(300)),
    honest=_homes,
    pieces=(
        *(
            b"- ",
            b"  - name: x\n",
            b"entities:\n",
            b"areas: []\n",
            b"&a ",
            b"*a",
            b"<<: *a",
            b"!!int x",
            b"---\n",
        ),
        *(
            b"? ",
            b": ",
            b"|\n",
            b">-\n",
            b"{a: ",
            b"[a, ",
            b"(a|b)",
            b"[a]",
            b"!!binary x",
            b"%YAML 9.9\n",
        ),
    ),
    nests=((b"[", b"]"), (b"{a: ", b"}"), (b"- ", b""), (b"(", b")"), (b"[a|", b"]")),
    attacks=(lambda rng: mutated(HOME_YAML.encode(), rng),),
    largest=min(MOST_BYTES, 200_000),
)


def _read_sentences(content: bytes) -> bool:
    folder = _folder("sentences")
    (folder / "x.yaml").write_bytes(content)
    load_vocabulary(folder)
    return True


def _sentences(size: int) -> bytes:
    each = '          - "engage the {name} number %06d [now]"\n'
    begin = "language: en\nintents:\n  HassTurnOn:\n    data:\n      - sentences:\n"
    return (begin + "".join(each % n for n in range(max(1, size // len(each))))).encode()


SENTENCES = Parser(
    read=_read_sentences,
    refusals=(InputError,),
    samples=(SENTENCES_YAML.encode(), _sentences(200)),
    honest=_sentences,
    pieces=(
        *HOME_FILE.pieces,
        *(
            b"{name}",
            b"<verb>",
            b"[",
            b"]",
            b"(",
            b")",
            b"|",
            b"{",
            b"}",
            b"<",
            b">",
            b"{x:name}",
            b"<a>",
            b";",
        ),
        *(
            b"expansion_rules:\n",
            b"lists:\n",
            b"  x: {range: {from: 0, to: 100000000}}\n",
            b"requires_context:\n",
        ),
    ),
    nests=(*HOME_FILE.nests, (b"[a ", b"]"), (b"(a|", b")"), (b"<verb> ", b"")),
    attacks=(lambda rng: mutated(SENTENCES_YAML.encode(), rng),),
    largest=50_000,
    room_mb=256,
)


# ── backups ─────────────────────────────────────────────────────────────────────────────────

_SPLIT = b"\n%%\n"
_SETTINGS = b'[storage]\nstate = "/var/lib/hark"\n[home]\ntime_zone = "UTC"\n[mqtt]\nport = 1883\n'
MADE = datetime(2026, 11, 29, tzinfo=UTC)


def _read_backup(content: bytes) -> bool:
    """The bytes of the tar file, packed for each input."""
    archive = _folder("backup") / "x.hark"
    archive.write_bytes(gzip.compress(content, 1))
    read_archive(archive, lambda _: None)
    return True


def _backup(size: int) -> bytes:
    folder, archive = _folder("made"), _folder("backup") / "honest.hark"
    _write(folder, _SETTINGS, HOME_YAML.encode())
    (folder / "state").mkdir(exist_ok=True)
    (folder / "state" / "heard").write_bytes(b"x" * max(1, size))
    archive.unlink(missing_ok=True)
    write_archive(folder, archive, MADE)
    return gzip.decompress(archive.read_bytes())


def _write(folder: Path, settings: bytes, home: bytes) -> None:
    (folder / OWN).parent.mkdir(exist_ok=True)
    (folder / OWN).write_bytes(settings)
    (folder / HOME).write_bytes(home)


def _members(rng: random.Random) -> bytes:
    """A tar file whose members, or their headers, are other ones than the manifest has."""
    made = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(_backup(1))) as tar:
        members = [(m, tar.extractfile(m).read()) for m in tar]  # type: ignore[union-attr]
    member, content = rng.choice(members)
    match rng.randrange(5):
        case 0:
            member.name = rng.choice(("../x", "/etc/x", "", "x" * 300, "a\nb", "manifest.json"))
        case 1:
            member.type, member.linkname = rng.choice(_KINDS), "/etc/passwd"
        case 2:
            member.size = rng.choice((0, 1, len(content) + 1)) if content else 0
        case 3:
            members.insert(rng.randrange(len(members)), rng.choice(members))
        case 4:
            member.pax_headers = {
                rng.choice(("path", "size", "x")): rng.choice(("9" * 5_000, "x", ""))
            }
    kind = rng.choice(_FORMATS)
    if kind == tarfile.USTAR_FORMAT:
        member.name = member.name[:99]
    with tarfile.open(fileobj=made, mode="w", format=kind) as tar:
        for one, held in members:
            tar.addfile(one, io.BytesIO(held + bytes(one.size)))
    return made.getvalue()


_KINDS = (
    tarfile.SYMTYPE,
    tarfile.LNKTYPE,
    tarfile.CHRTYPE,
    tarfile.FIFOTYPE,
    tarfile.GNUTYPE_SPARSE,
)
_FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
BACKUP = Parser(
    read=_read_backup,
    refusals=(InputError,),
    samples=(_backup(1),),
    honest=_backup,
    pieces=(
        *(
            b'"format":1',
            b'"files":[',
            b'"name":"state/heard"',
            b'"size_bytes":',
            b"ustar\0",
            b"\0" * 512,
        ),
        *(
            b'"name":"../x"',
            b'"sha256":"',
            b"9" * 12,
            b"state/skills/x/installed.json",
            b"\xff" * 12,
        ),
    ),
    nests=((b"[", b"]"), (b'{"files":', b"}"), (b'{"a":', b"}")),
    attacks=(_members,),
    largest=1 << 20,
)


def _read_restored(content: bytes) -> bool:
    """The files of a backup with the right hashes: settings, home, and what lay in the state."""
    settings, home, record, strikes = (*content.split(_SPLIT), b"", b"", b"")[:4]
    folder = _folder("restored")
    _write(folder, settings, home)
    (skill := folder / "state" / "skills" / "dice").mkdir(parents=True, exist_ok=True)
    (skill / RECORD).write_bytes(record)
    (folder / "state" / "quarantine.json").write_bytes(strikes)
    archive, scratch = _folder("backup") / "restored.hark", _folder("scratch")
    archive.unlink(missing_ok=True)
    manifest = write_archive(folder, archive, MADE)
    _write(scratch, settings, home)
    settled(manifest, scratch, _folder("here") / "config.toml", False)
    quarantine = Quarantine()
    quarantine.keep_in(folder / "state" / "quarantine.json")
    quarantine.strike("dice")
    quarantine.holds("dice")
    read_record(skill)
    return True


_RECORD = {
    "format": 1,
    "name": "dice",
    "version": "1",
    "module": "dice",
    "source": "dice",
    "granted": ["network:http://192.168.1.20"],
    "wheels": {"x.whl": "0" * 64},
    "files": {"dice.py": "0" * 64},
}
_HELD = (json.dumps(_RECORD).encode(), b'{"dice":1}')
RESTORED = Parser(
    read=_read_restored,
    refusals=(InputError, SkillError, AssistantError),
    samples=(_SPLIT.join((_SETTINGS, HOME_YAML.encode(), *_HELD)),),
    honest=lambda size: _SPLIT.join((_SETTINGS, _homes(max(1, size - 500)), *_HELD)),
    pieces=(
        *(
            _SPLIT,
            b"[storage]\n",
            b'state = "/etc/x"\n',
            b"[skills]\n",
            b"[[x]]\n",
            b'"files":{',
            b'"dice":',
        ),
        *(
            b'file = "~nobody/x"\n',
            b'file = "../../x"\n',
            b"x = 1979-05-27\n",
            b"[a.b]\n",
            b'"../x":',
            b"'''",
        ),
    ),
    nests=((b"[", b"]"), (b"{a=", b"}"), (b'{"a":', b"}")),
    largest=100_000,
)
