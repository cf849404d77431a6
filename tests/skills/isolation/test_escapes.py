"""A hostile skill gets out by none of the ways that it knows."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.skill.testing import memory_context
from skills.isolation.host import Host
from skills.isolation.isolated import IsolatedSkill
from tests.skills.isolation.probes import PREAMBLE, PROBES
from tests.support.isolated_skills import call, written

REFUSED_TO_ROOT_TOO = ("reads_the_kernels_log", "locks_memory")
"""What a container may refuse whoever asks, so that its guard cannot be seen to be needed."""


def functions(file: Path) -> str:
    preamble = PREAMBLE.format(file=str(file), parent=os.getpid())
    bodies = (f"def {n}():\n{textwrap.indent(body, '    ')}\n" for n, body in PROBES.items())
    return preamble + "\n".join(bodies)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("user") / "secret.txt"
    path.write_text("the spare key is under the pot")
    return path


@pytest.fixture(scope="module")
def hostile(
    tmp_path_factory: pytest.TempPathFactory, file: Path, module_patch: pytest.MonkeyPatch
) -> Iterator[IsolatedSkill]:
    """A skill that has even the native modules which none is given, as if it had smuggled them."""
    module_patch.setattr(
        "skills.isolation.spawner.PROGRAM",
        (sys.executable, "-P", "-W", "ignore", "-m", "tests.support.generous_skill_server"),
    )
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
    host = Host()
    yield host.load(written(tmp_path_factory.mktemp("skills"), "hostile", code))
    host.close()


@pytest.fixture(scope="module")
def module_patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.mark.parametrize("name", PROBES)
def test_a_skill_does_not_get_out(hostile: IsolatedSkill, name: str) -> None:
    number = list(PROBES).index(name)
    reply = call(hostile, f"Probe{number}", memory_context())
    assert reply.text.startswith("refused")
    assert hostile.pid is not None


@pytest.mark.parametrize("name", [n for n in PROBES if n not in REFUSED_TO_ROOT_TOO])
def test_whoever_is_not_confined_gets_out_so(name: str, file: Path) -> None:
    code = f"{functions(file)}\nprint('escaped' if {name}() else 'refused')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert ran.stdout.strip().endswith("escaped"), ran.stderr
