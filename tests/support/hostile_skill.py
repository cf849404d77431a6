"""A skill that tries every way out, told apart from code that nothing confines."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

from assistant.skill.testing import memory_context
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from tests.skills.isolation.probes import PREAMBLE, PROBES
from tests.support.isolated_skills import call, written

SERVER = "tests.support.generous_skill_server"


def functions(file: Path) -> str:
    """Code with one function for each way out; `file` is a file of the user's."""
    preamble = PREAMBLE.format(file=str(file), parent=os.getpid())
    bodies = (f"def {n}():\n{textwrap.indent(body, '    ')}\n" for n, body in PROBES.items())
    return preamble + "\n".join(bodies)


@contextmanager
def hostile_skill(folder: Path, file: Path, *around: str) -> Iterator[IsolatedSkill]:
    """A skill that has even the native modules which none is given, as if it had smuggled them.

    The modules `around` run the process that it is forked from.
    """
    intents = "\n".join(
        f'@skill.intent("Probe{n}", "probe {n}")\ndef probe_{n}() -> Reply:\n'
        f"    return Reply(tried({name}))\n"
        for n, name in enumerate(PROBES)
    )
    code = f"""
{functions(file)}
from assistant.skill import Reply, Skill

skill = Skill("hostile", api=1, description="get out")

def tried(probe):
    try:
        return "escaped" if probe() else "refused"
    except (Exception, SystemExit) as error:
        return f"refused: {{type(error).__name__}}"

{intents}
"""
    program = (sys.executable, "-P", "-W", "ignore", "-m", *around, SERVER)
    with patch("skills.isolation.spawner.PROGRAM", program), closing(Host()) as host:
        yield host.load(written(folder, "hostile", code))


def tries(skill: IsolatedSkill, name: str) -> str:
    """What becomes of a way out: "escaped", or "refused" with the name of the error."""
    return call(skill, f"Probe{list(PROBES).index(name)}", memory_context()).text
