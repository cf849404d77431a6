"""Writes the package of a new skill, which runs and is tested as it is."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
import tempfile
from pathlib import Path
from string import Template

from assistant.core.errors import InputError, SkillError
from assistant.skill.skill import API
from skills.registry import BUILT_IN

LONGEST_NAME = 24
"""Most letters of a name: with more, lines of the module are longer than 100."""
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_OURS = ("assistant", "audio", "models", "nlu", "skills", "tests", "unserved")

_MODULE = '''\
"""The skill "$said"."""

from typing import Annotated

from assistant.skill import Reply, Skill, count, prompt

skill = Skill("$name", api=$api, description="try the $said")


@skill.intent("Try$camel", "try [the] $said [{times} times]")
def try_it(times: Annotated[int, prompt("How many times?")]) -> Reply:
    """Say how often it was tried."""
    return Reply(f"I tried the $said {count(times, 'time')}.")
'''

_FACTS = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$name"
version = "0.1.0"
description = "A skill for Hark"
readme = "README.md"
requires-python = ">=3.11"

[project.entry-points."assistant.skills"]
$name = "$name:skill"

# What is known of the skill before any of it runs.
[tool.assistant]
api = $api
permissions = []

[tool.assistant.settings]

# This folder is the package: these facts and the tests are in its wheel, too.
[tool.setuptools]
packages = ["$name"]
package-dir = { $name = "." }
package-data = { $name = ["pyproject.toml", "tests.yaml", "locale/*.toml"] }

[tool.ruff]
line-length = 100

[tool.mypy]
strict = true
"""

_TESTS = """\
# What is said, and what must come of it: assistant skills test FOLDER

- say: try the $said five times
  intent: Try$camel
  slots: {times: 5}
  reply: I tried the $said five times
  within_ms: 1000

- conversation:
    - say: try the $said
      asks: How many times?
    - say: three
      reply: three times
      absent: five

- say: what is the capital of france
  absent: Try$camel
"""

_README = """\
# $name

A skill for Hark, the offline voice assistant. Say "try the $said".

| file | what is in it |
|---|---|
| `__init__.py` | the skill: sentences and what they do |
| `tests.yaml` | what is said, and what must come of it |
| `pyproject.toml` | its name, and what it needs: permissions, settings |

```
assistant skills dev .      # try it; what you save is loaded at once
assistant skills test .     # run tests.yaml; with --spoken by voice
assistant skills check .    # does it get along with the other skills?
```
"""

_FILES = {
    "__init__.py": _MODULE,
    "pyproject.toml": _FACTS,
    "tests.yaml": _TESTS,
    "README.md": _README,
}


def write_package(name: str, into: Path) -> Path:
    """Write the package `name` as a new folder of that name in `into`, and give its path.

    Raises `SkillError` for a name that cannot be a skill's, and `InputError` where the folder is
    there already or cannot be written; then nothing is written.
    """
    if fault := name_fault(name):
        raise SkillError("skill.name", f'"{name[:LONGEST_NAME]}" {fault}')
    folder = into / name
    if folder.exists():
        raise InputError("skill.exists", f"{folder}: is there already; take another name")
    said = name.replace("_", " ")
    facts = {"name": name, "said": said, "camel": said.title().replace(" ", ""), "api": str(API)}
    try:
        draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=into))
        try:
            for file, text in _FILES.items():
                (draft / file).write_text(Template(text).substitute(facts), "utf-8")
            draft.chmod(0o755)
            draft.rename(folder)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    except OSError as error:
        raise InputError("skill.unwritable", f"{folder}: {error.strerror}") from error
    return folder


def name_fault(name: str) -> str:
    """Why a skill cannot have this name; "" where it can."""
    if len(name) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} letters"
    if not _NAME.fullmatch(name):
        likely = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_0123456789")
        instead = f", such as {likely}" if _NAME.fullmatch(likely) else ""
        return f"is no name for a skill; use small letters, digits and single underscores{instead}"
    if keyword.iskeyword(name) or name in sys.stdlib_module_names:
        return "is a name of Python's own; take another"
    if name in _OURS or name in {skill.name for skill in BUILT_IN}:
        return "is a name of the assistant's own; take another"
    return ""
