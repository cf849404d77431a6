"""Wheels made by hand, whole or wrong in one way."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.isolated_skills import PYPROJECT

SKILL = """\
from assistant.skill import Context, Reply, Skill

skill = Skill("{name}", api=1, description="tell the tide")


@skill.intent("HighTide", "when is high tide in {place}")
def high(place: str) -> Reply:
    return Reply("At noon.")
"""
TESTS = """\
- say: when is high tide in husum
  intent: HighTide
  reply: At noon
"""


def skill_files(name: str = "tides", permissions: Sequence[str] = ()) -> dict[str, bytes]:
    """The files of a skill whose tests hold, as they lie in its wheel."""
    asked = ", ".join(f'"{one}"' for one in permissions)
    return {
        f"{name}/__init__.py": SKILL.replace("{name}", name).encode(),
        f"{name}/pyproject.toml": PYPROJECT.format(name=name, permissions=asked).encode(),
        f"{name}/tests.yaml": TESTS.encode(),
    }


def written(files: Mapping[str, bytes], into: Path) -> Path:
    """The folder of a skill with the files of its wheel."""
    for name, content in files.items():
        file = into / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return into / next(iter(files)).partition("/")[0]


def make_wheel(
    into: Path,
    files: Mapping[str, bytes],
    *,
    name: str = "tides",
    version: str = "1.0",
    tag: str = "py3-none-any",
    requires: Sequence[str] = (),
    metadata: str = "",
    pure: str = "true",
    points: str | None = None,
    record: Mapping[str, str | None] | None = None,
    links: Sequence[str] = (),
) -> Path:
    """A wheel with these files.

    `points` is the text of its entry points, `record` gives other hashes than the right ones in its
    RECORD, or None for no line. The members `links` are symbolic links.
    """
    facts = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    own = f"[assistant.skills]\n{name} = {name}:skill\n" if points is None else points
    whole = {
        **files,
        f"{facts}/METADATA": (
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}{metadata}"
        ).encode(),
        f"{facts}/WHEEL": (f"Wheel-Version: 1.0\nRoot-Is-Purelib: {pure}\nTag: {tag}\n").encode(),
        f"{facts}/entry_points.txt": own.encode(),
    }
    hashes: dict[str, str | None] = {member: _hash(content) for member, content in whole.items()}
    hashes |= record or {}
    lines = [f"{member},{given},\n" for member, given in hashes.items() if given is not None]
    whole[f"{facts}/RECORD"] = ("".join(lines) + f"{facts}/RECORD,,\n").encode()
    into.mkdir(exist_ok=True)
    wheel = into / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in whole.items():
            info = zipfile.ZipInfo(member)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o120777 if member in links else 0o100644) << 16
            archive.writestr(info, content)
    return wheel


def _hash(content: bytes) -> str:
    digest = hashlib.sha256(content).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
