"""Attack a device with bundles of models: `python -m benchmarks.hostile.bundles`.

Each is one that would be taken, with something wrong: its bytes, members, keys, place or number. It
is installed by the real code on a device that trusts three root keys, has installed bundle 5, and
knows that an older signing key was revoked.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.errors import ModelError
from assistant.core.models.adapter import ADAPTER, encoded
from assistant.model_files.signed import install, verify_bundle
from assistant.model_files.signing.bundle import header, write_bundle
from assistant.model_files.signing.keys import read_roots
from assistant.model_files.signing.minisign import SecretKey, make_key, write_key
from assistant.model_files.signing.oci import BLOBS, INDEX, write_layout
from benchmarks.hostile.attack import ill_told
from benchmarks.hostile.models import mutated
from tests.support.adapters import OWN, adapter
from tests.support.signing import Maintainer, files_of, library_of, silent

INSTALLED, NEXT = 5, 6
"""Numbers of the bundle that the device has, and of the one that it would take."""
ROOTS, BUNDLE, LAYOUT = "roots.pub", "next.hark", "next-oci"
BOMB_BYTES = 8_000_000_000
LONGEST_USTAR = 99
"""Most characters of a name in the plainest of tar's formats."""

SETTLED = 50
"""Blows after which memory should grow no more."""

Members = list[tuple[tarfile.TarInfo, bytes]]


class Figures(msgspec.Struct, kw_only=True):
    """The result; `faults` names the blows that were taken or told ill."""

    blows: int = 0
    ways: dict[str, int] = {}
    """Way to tamper → blows."""
    faults: list[str] = []
    grown_mb: int = 0
    """Memory of the installing process at its most, beyond that after the first blows."""


def attack(folder: Path, seed: int, blows: int) -> Figures:
    """Have so many bundles installed, each the same for the same seed and number."""
    enemy, figures = Enemy(folder), Figures()
    for whole in (BUNDLE, LAYOUT):  # which would be taken as they are
        verify_bundle(enemy.library, enemy.maintainer.trusted, folder / whole)
    settled_kib = 0
    for number in range(blows):
        rng = random.Random(seed << 40 | number)
        way = rng.choice(WAYS)
        path = way(enemy, rng)
        name = way.__name__.strip("_")
        if fault := read(str(path)):
            figures.faults.append(f"blow {number}, {name}: {fault}")
        remove(path)
        figures.blows += 1
        figures.ways[name] = figures.ways.get(name, 0) + 1
        most_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        settled_kib = most_kib if number < SETTLED else settled_kib
        figures.grown_mb = (most_kib - settled_kib) // 1000
    return figures


def read(path: str) -> str:
    """Install the bundle; "" when it is refused in one line and the models are as they were."""
    folder = Path(path).parent
    library = library_of(folder, own=OWN)
    before = _models(library.pulled)
    try:
        install(library, read_roots(folder / ROOTS), Path(path), silent)
    except ModelError as error:
        told = error.message
        if ill_told(told) or not error.code.startswith("model."):
            return f"no error of one line: {told[:200]!r}"
        return "" if _models(library.pulled) == before else "it was refused and changed the models"
    return "it was taken"


def _models(pulled: Path) -> list[tuple[str, int]]:
    files = (file for file in pulled.rglob("*") if file.is_file() and file.suffix != ".lock")
    return sorted((str(file), file.stat().st_mtime_ns) for file in files)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


class Enemy:
    """Has what the maintainer has published, and a key that was revoked; its bundles lie here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library = library_of(folder, own=OWN)
        self.maintainer = maintainer = Maintainer(folder / "maintainer")
        self.revoked, self.stranger = maintainer.key, make_key()
        self.old_keys = maintainer.keys
        maintainer.key = make_key()
        maintainer.keys = maintainer.listed(2, [maintainer.key])
        (folder / ROOTS).write_text("".join(map(self._published, range(3))))
        install(
            self.library, maintainer.trusted, maintainer.bundle(self.library, INSTALLED), silent
        )
        self.packed, self.files = maintainer.packed(self.library, NEXT, "3")
        write_bundle(self.packed, self.files, folder / BUNDLE)
        write_layout(self.packed, self.files, folder / LAYOUT)
        self.whole = (folder / BUNDLE).read_bytes()

    def signed(self, **more: Any) -> Path:
        """A bundle that is made by whoever has its key."""
        packed, files = self.maintainer.packed(
            self.library, **{"counter": NEXT, "version": "3", **more}
        )
        path = self.folder / "blow.hark"
        write_bundle(packed, files, path)
        return path

    def plain(self, content: bytes) -> Path:
        """A file with this content."""
        path = self.folder / "blow.hark"
        path.write_bytes(content)
        return path

    def rewritten(
        self, change: Callable[[Members], None], kind: int = tarfile.USTAR_FORMAT
    ) -> Path:
        """The bundle, with other members."""
        with tarfile.open(fileobj=io.BytesIO(self.whole)) as tar:
            members = [(m, tar.extractfile(m).read()) for m in tar]  # type: ignore[union-attr]
        change(members)
        path = self.folder / "blow.hark"
        with tarfile.open(path, "w", format=kind) as tar:
            for member, content in members:
                tar.addfile(member, io.BytesIO(content))
        return self.plain(_another(path.read_bytes(), self))

    def layout(self) -> Path:
        """A copy of the OCI layout."""
        return Path(shutil.copytree(self.folder / LAYOUT, self.folder / "blow-oci"))

    def _published(self, number: int) -> str:
        public = self.folder / f"root-{number}.pub"
        write_key(self.maintainer.roots[number], public.with_suffix(".key"), public, "")
        return public.read_text()


# ── what an enemy makes of a bundle ─────────────────────────────────────────────────────────


def _bits(enemy: Enemy, rng: random.Random) -> Path:
    flipped = bytearray(enemy.whole)
    for _ in range(rng.choice((1, 1, 1, 2, 10, 100))):
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
    return enemy.plain(_another(bytes(flipped), enemy))


def _cut(enemy: Enemy, rng: random.Random) -> Path:
    return enemy.plain(enemy.whole[: rng.randrange(len(enemy.whole))])


def _mutated(enemy: Enemy, rng: random.Random) -> Path:
    return enemy.plain(_another(mutated(enemy.whole, rng), enemy))


def _another(content: bytes, enemy: Enemy) -> bytes:
    """What was changed to what it is, as by two flips of a bit, is changed once more."""
    return content if content != enemy.whole else content + b"\0"


def _named(enemy: Enemy, rng: random.Random) -> Path:
    """A member under another name: outside, absolute, odd."""

    def change(members: Members) -> None:
        kept = LONGEST_USTAR if kind == tarfile.USTAR_FORMAT else None
        rng.choice(members)[0].name = rng.choice(_NAMES)[:kept]

    kind = rng.choice(_FORMATS)
    return enemy.rewritten(change, kind)


def _linked(enemy: Enemy, rng: random.Random) -> Path:
    """A member that is a link, a device, a pipe or a folder."""

    def change(members: Members) -> None:
        member, _ = members[rng.randrange(len(members))]
        member.type, member.size = rng.choice(_KINDS), 0
        member.linkname = rng.choice(_NAMES)[:LONGEST_USTAR]

    return enemy.rewritten(change)


def _shuffled(enemy: Enemy, rng: random.Random) -> Path:
    """Members swapped, missing, doubled, added, or with one another's content."""

    def change(members: Members) -> None:
        one, other = rng.sample(range(len(members)), 2)
        match rng.randrange(5):
            case 0:
                members[one], members[other] = members[other], members[one]
            case 1:
                del members[one]
            case 2:
                members.insert(other, members[one])
            case 3:
                members.insert(one, (_member(rng.choice(_NAMES)[:LONGEST_USTAR], 3), b"abc"))
            case 4:
                (a, first), (b, second) = members[one], members[other]
                a.size, b.size = len(second), len(first)
                members[one], members[other] = (a, second), (b, first)

    return enemy.rewritten(change)


def _replaced(enemy: Enemy, rng: random.Random) -> Path:
    """One member of the bundle that is installed, or one of the enemy's own."""
    older = rng.randrange(1, 60)

    def change(members: Members) -> None:
        at = rng.randrange(len(members))
        member, content = members[at]
        own = mutated(content, rng)
        name = member.name.removeprefix("model/")
        theirs = files_of(older).get(name, own)
        content = rng.choice((own, theirs)) if theirs != content else own
        if content == members[at][1]:
            content += b" "
        member.size = len(content)
        members[at] = (member, content)

    return enemy.rewritten(change)


def _dressed(enemy: Enemy, rng: random.Random) -> Path:
    """A member with an owner, a date, rights or another format's headers."""

    def change(members: Members) -> None:
        member, _ = rng.choice(members)
        member.mtime = rng.choice((1, 1_700_000_000, 1.5))
        member.uname, member.mode = rng.choice(("root", "")), rng.choice((0o4755, 0o644))

    return enemy.rewritten(change, rng.choice(_FORMATS))


def _misplaced(enemy: Enemy, rng: random.Random) -> Path:
    """Rightly signed, for another base, model, kind, interface or version."""
    return enemy.signed(
        **rng.choice(
            (
                {"base": rng.choice(("0", "2", "", "../1"))},
                {"model": rng.choice(("other", "", "../words", "words/../words", "words@2"))},
                {"kind": rng.choice(("voice", "asr", ""))},
                {"inputs": {"x": "float32[3]"}},
                {"outputs": {}},
                {"version": rng.choice(("1", "", "../3", "3/..", "3\0", "x" * 300))},
            )
        )
    )


def _unfit(enemy: Enemy, rng: random.Random) -> Path:
    """Rightly signed, with an adapter that does not fit the model, or makes another one of it."""
    right = adapter(NEXT)
    (only,) = right.changes
    unfit: dict[str, Any] = rng.choice(
        (
            {"name": rng.choice(("", "n", "m.int8", "../m"))},
            {"rank": rng.choice((2, 64))},
            {rng.choice(("down", "up", "steps")): rng.randbytes(rng.randrange(2))},
            {"steps": rng.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f")) * 2},
            {"up": bytes((rng.randrange(10, 100), rng.randrange(100)))},
        )
    )
    changes = (msgspec.structs.replace(only, **unfit),)
    wrong = rng.choice(({"changes": changes}, {"merged": rng.randbytes(32).hex()}))
    content = encoded(msgspec.structs.replace(right, **wrong))
    return enemy.signed(version="u", files={ADAPTER: content})


def _older(enemy: Enemy, rng: random.Random) -> Path:
    """Rightly signed once, and no newer than what is installed."""
    counter = rng.randint(1, INSTALLED)
    return enemy.signed(counter=counter, version=rng.choice(("0.9", "4")), files=files_of(70))


def _wrong_key(enemy: Enemy, rng: random.Random) -> Path:
    """Signed by the revoked key or a stranger's, under a list that is old, forged or real."""
    key: SecretKey = rng.choice((enemy.revoked, enemy.stranger))
    root, strangers = enemy.maintainer.roots[0], [make_key(), make_key(), make_key()]
    posing = [
        msgspec.structs.replace(one, public=root.public)
        for one, root in zip(strangers, enemy.maintainer.roots, strict=True)
    ]
    counter = rng.choice((1, 2, 3, 2**53))
    signers = rng.choice(([root], [root, root], strangers, posing[:2], [root, posing[1]]))
    forged = enemy.maintainer.listed(counter, [key], signers)
    keys = rng.choice((enemy.old_keys, enemy.maintainer.keys, forged, forged))
    if rng.random() < 0.3:
        key = msgspec.structs.replace(key, public=enemy.maintainer.key.public)
    return enemy.signed(counter=rng.choice((NEXT, 2**53)), key=key, keys=keys)


def _bomb(enemy: Enemy, rng: random.Random) -> Path:
    """Large claims: sizes, holes, headers, numbers of members, deep nesting."""
    match rng.randrange(5):
        case 0:
            return _holes(enemy, rng)
        case 1:
            return enemy.rewritten(
                lambda members: members.extend(
                    (_member(f"model/{n}", 0), b"") for n in range(rng.choice((100, 20_000)))
                )
            )
        case 2:
            member = _member(rng.choice(("bundle.json", "keys.json")), 0)
            content = rng.choice((b"[" * 200_000, b'{"a":' * 100_000, b" " * 5_000_000))
            member.size = len(content)
            return enemy.rewritten(lambda members: members.insert(0, (member, content)))
        case 3:
            block = bytearray(header("x" * 99, rng.choice((1 << 32, 1 << 20, BOMB_BYTES))))
            block[156:157] = rng.choice((b"x", b"g", b"L", b"K", b"S"))
            block[148:156] = b"%06o\0 " % (sum(block[:148]) + sum(block[156:]) + 256)
            return enemy.plain(bytes(block) + rng.randbytes(4096) + enemy.whole)
        case _:
            layout = enemy.layout()
            deep = rng.choice((b"[" * 200_000, b'{"a":' * 40_000, bytes(5_000_000)))
            (layout / INDEX).write_bytes(deep)
            return layout


def _holes(enemy: Enemy, rng: random.Random) -> Path:
    path = enemy.plain(enemy.whole)
    with tarfile.open(path) as tar:
        member = rng.choice(tar.getmembers())
    with path.open("r+b") as bundle:
        bundle.seek(member.offset)
        bundle.write(header(member.name, BOMB_BYTES))
    length = member.offset_data + BOMB_BYTES + 2 * tarfile.BLOCKSIZE
    os.truncate(path, -(-length // tarfile.RECORDSIZE) * tarfile.RECORDSIZE)
    return path


def _of_blobs(enemy: Enemy, rng: random.Random) -> Path:
    """An OCI layout with a blob or its index changed."""
    layout = enemy.layout()
    used = sorted(b for b in (layout / BLOBS).iterdir() if b.read_bytes() != b"{}")
    blob = rng.choice(used)
    match rng.randrange(5):
        case 0:
            blob.write_bytes(mutated(blob.read_bytes(), rng) + b"\0")
        case 1:
            blob.unlink()
        case 2:
            content = blob.rename(enemy.folder / "blob")
            blob.symlink_to(content)
        case 3:
            other = rng.choice([b for b in used if b != blob])
            blob.write_bytes(other.read_bytes())
        case 4:
            text = (layout / INDEX).read_text()
            digest = text.partition('"digest":"')[2].partition('"')[0]
            (layout / INDEX).write_text(text.replace(digest, rng.choice(_DIGESTS)))
    return layout


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    return member


WAYS: tuple[Callable[[Enemy, random.Random], Path], ...] = (
    *(_bits, _bits, _cut, _mutated, _named, _linked, _shuffled, _replaced, _dressed),
    *(_misplaced, _unfit, _older, _wrong_key, _wrong_key, _bomb, _of_blobs),
)
_NAMES = (
    *("../../../etc/cron.d/x", "/etc/passwd", "model/../../x", "model/", "./bundle.json", ""),
    *("model/" + "x" * 90, "x" * 300, "model/\u202etxt", "CON", "bundle.json\0", "keys.json"),
)
_FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
_KINDS = (
    *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE),
    *(tarfile.DIRTYPE, tarfile.CONTTYPE, tarfile.AREGTYPE, tarfile.GNUTYPE_SPARSE),
)
_DIGESTS = (
    *("sha256:../../../../../etc/passwd", "sha256:" + "0" * 64, "sha512:00", "", "sha256:"),
    *("sha256:" + "../" * 20 + "etc", "md5:x"),
)


def main() -> None:
    """Print the figures; exit status 1 when a bundle was taken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = attack(Path(folder), given.seed, given.count)
    print(json.dumps(msgspec.to_builtins(found)))  # noqa: T201
    sys.exit(1 if found.faults else 0)


if __name__ == "__main__":
    main()
