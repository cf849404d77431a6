"""Files that a user writes, written by an attacker: settings, homes, sentences and skills.

Each is read as the daemon reads it, and must give a valid result or one error in one line. From
time to time the running daemon is told to read wrong settings, and must keep those that it has.
"""

from __future__ import annotations

import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from assistant.control.client import ControlClient
from assistant.core.config import Config, load_config
from assistant.core.constrained.word_network import compile_network
from assistant.core.errors import AssistantError, ControlError, SkillError
from assistant.core.home.names import LONGEST_ID
from assistant.skill.home import Area, Entity, Floor, Home, load_home
from audio.preroll import PreRoll
from audio.vad import Vad
from benchmarks.hostile.attack import changed, ill_told
from benchmarks.hostile.child import Child
from benchmarks.hostile.target import Effects, Target
from nlu.grammar.custom_sentences import load_vocabulary
from skills.registry import load_registry

RELOAD_EVERY = 2_500
RELOAD_S = 5.0
"""Seconds to wait for a reload; a stage that is busy every second, as here, may never reload."""


class ConfigAttack:
    """One file a blow, of one of four kinds in turn."""

    name: ClassVar[str] = "config"
    blows: ClassVar[int] = 10_000

    def __init__(self, folder: Path, seed: int) -> None:
        self.settings = ""
        self._folder, self._seed = folder, seed
        self._child = Child(read)

    def open(self, target: Target) -> None:
        """Keep the daemon's settings."""
        self._target = target
        self._good = target.rig.config.read_bytes()

    def blow(self, number: int) -> str:
        """Write the file of this number and have it read."""
        rng = random.Random(self._seed << 40 | number)
        name, original = _FILES[number % len(_FILES)]
        content = mutated(original, rng)
        place = self._folder / "read"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        file = place / name
        file.write_bytes(content)
        if name == "pyproject.toml":
            (place / "dice.py").write_text(_SKILL, "utf-8")
        fault = self._child.ask(str(file))
        if number % RELOAD_EVERY == 0 and not fault:
            fault = self._reload(content if name == "config.toml" else b"[home")
        return f"{name}: {fault}" if fault else ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nothing was requested that can be done."""
        return changed(before, after)

    def close(self) -> None:
        """End the reading process."""
        self._child.close()

    def _reload(self, content: bytes) -> str:
        """Have the daemon read settings that it must refuse, and then its own again."""
        file = self._target.rig.config
        (trial := file.with_name("trial.toml")).write_bytes(content)
        try:
            load_config((trial,))
        except AssistantError:
            file.write_bytes(content)
            refused = self._reloaded()
            file.write_bytes(self._good)
            if "" in refused:
                return "the daemon took it on reload"
            if errors := [e for e in self._reloaded() if e]:
                return f"the daemon no longer takes its own settings: {errors[0]}"
        return ""

    def _reloaded(self) -> list[str]:
        """The error of each stage that had the time to reload, "" for none."""
        control = ControlClient(self._target.config.control_socket)
        waited: set[str] = set()
        errors: list[str] = []
        with suppress(ControlError):
            for answer in control.follow("reload", RELOAD_S):
                if answer["type"] == "Reloading":
                    waited = set(answer["stages"]) - {"control"}
                elif answer["type"] == "Reloaded":
                    waited.discard(str(answer["stage"]))
                    errors.append(str(answer["error"]))
                if not waited:
                    break
        return errors


def read(path: str) -> str:
    """Read a file by its name, as the daemon would; "" if it is accepted, or refused in a line."""
    file = Path(path)
    try:
        if file.name == "config.toml":
            _use(load_config((file,))[0])
        elif file.name == "home.yaml":
            return _hear(load_home(file))
        elif file.name == "sentences.yaml":
            load_vocabulary(file.parent)
        else:
            _load_skill(file.parent)
    except AssistantError as error:
        told = error.message
        if ill_told(told) or not error.code:
            return f"no error of one line: {told[:200]!r}"
        if str(file.parent) not in told:
            return f"the file is not named: {told[:200]!r}"
    return ""


def _load_skill(folder: Path) -> None:
    """Load a skill; raises the error that the registry reports."""
    for fault in load_registry((folder,), builtin=False).faults:
        raise SkillError("skill.refused", f"{fault.skill}: {fault.message}")


def _hear(home: Home) -> str:
    """Have names heard, as recognition does; "", or the name that should not have come so far."""
    every: list[Floor | Area | Entity] = [*home.floors, *home.areas, *home.entities]
    for named in every:
        if len(named.id) > LONGEST_ID or not named.id.isprintable():
            return f"an id is taken: {named.id[:100]!r}"
    names = {name: 1.0 for named in every for name in (named.name, *named.aliases)}
    if names:
        compile_network({"open x": 1.0}).expanded({"x": names})
    return ""


def _use(config: Config) -> None:
    """Do with the settings what each process does first."""
    for folder in (config.state_dir, config.runtime_dir, config.cache_dir, config.models_dir):
        folder.is_dir()
    Vad(config.listening.vad_aggressiveness)
    PreRoll(config.listening.preroll_s)
    msgspec.json.encode(config)


# ── mutations ───────────────────────────────────────────────────────────────────────────────


def mutated(original: bytes, rng: random.Random) -> bytes:
    """The file with one or several things wrong."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        original = rng.choice(_WAYS)(original, rng)
    return original


def _flip_bits(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 2, 10))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut(content: bytes, rng: random.Random) -> bytes:
    begin, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return (content[:begin] + content[end:]) or b"\n"


def _replace_value(content: bytes, rng: random.Random) -> bytes:
    """Replace one value, as far as values can be recognised."""
    lines = content.split(b"\n")
    marks = [n for n, line in enumerate(lines) if b"=" in line or b": " in line] or [0]
    number = rng.choice(marks)
    line = lines[number]
    mark = b"=" if b"=" in line else b": "
    lines[number] = line.partition(mark)[0] + mark + b" " + rng.choice(_VALUES)
    return b"\n".join(lines)


def _insert_line(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines) + 1)
    return b"\n".join((*lines[:place], rng.choice(_LINES), *lines[place:]))


def _repeat_line(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    return b"\n".join([*lines, *[rng.choice(lines)] * rng.choice((1, 3, 2_000))])


def _insert_piece(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(_PIECES) + content[place:]


_WAYS = (
    _flip_bits,
    _cut,
    _replace_value,
    _replace_value,
    _insert_line,
    _repeat_line,
    _insert_piece,
)
_VALUES = (
    *(b"0", b"-1", b"1", b"2", b"100000000000", b"9" * 5_000, b"0x" + b"f" * 5_000, b"1e400"),
    *(b"nan", b"inf", b"-inf", b".nan", b".inf", b"-0.0", b"1e-320", b"1_000", b"0b1", b"0o7"),
    *(b'""', b'"\\u0000"', b'"\\u001b[2J"', b'"~nobody/x"', b'"~"', b'"fifo:~nobody"', b'"/"'),
    *(
        b'"../../../etc/passwd"',
        b'"' + b"x" * 100_000 + b'"',
        b'"' + b"a " * 5_000 + b'"',
        b'"/' + b"y/" * 60 + b'"',
    ),
    *(b"true", b"false", b"off", b"null", b"~", b"[]", b"{}", b'["x"]', b'[["x"]]', b"[1, 2]"),
    *(b"2020-01-01", b"2020-13-45", b"12:61:61", b"2020-01-01T00:00:00+99:99", b"9999-12-31"),
    *(b"1979-05-27T07:32:00Z", b"!!bool x", b"!!int x", b"!!timestamp x", b"!!float ''"),
    *(b"!!binary x", b"!!python/object/apply:os.system ['x']", b"!!set {a, b}", b"&a [*a]"),
    *(b"*a", b"&a x", b"<<: *a", b"'\\ud800'", b'"\\uD800"', b'"\\U0010FFFF"', b"=", b"|", b">-"),
    *(b"[" * 2_000, b"{a: " * 2_000, b"[" * 50_000 + b"]" * 50_000, b"{a=" * 2_000),
    *(b"{from: 0, to: 1000000000000}", b"'{name}'", b"'<x>'", b"'(a|b)'", b"'[[[['"),
    b"'" + b"[a]" * 300 + b"'",
    b"'" + b"(" * 3_000 + b"'",
    b"'" + b"(a|b) " * 60 + b"'",
    b"'<name>{area}<name>'",
)
_LINES = (
    *(b"[nonsense]", b"[audio]", b"[[audio]]", b"audio = 3", b"[audio.input.x]", b"x.y.z = 1"),
    *(
        b"a" * 100_000 + b" = 1",
        b'"" = 1',
        b'"a\\nb" = 1',
        b'["a\\nb"]',
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ),
    *(b"---", b"...", b"%YAML 9.9", b"\t- x", b"? [a, b]", b"? {a: b}\n: c", b"- - - - x"),
    *(b"intents: 7", b"lists: {x: {range: {from: 0, to: 100000000}}}", b"areas: [[]]"),
    *(b"expansion_rules: {a: '<b>', b: '<a>'}", b"entities: {a: b}", b"language: 7", b"floors: x"),
    b"lists: {x: {values: [{in: '" + b"[a]" * 300 + b"', out: 1}]}}",
    b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"\n".join(
        b"%c: &%c [%s]" % (n + 1, n + 1, b",".join([b"*%c" % n] * 9)) for n in range(97, 107)
    ),
    b"- " * 3_000,
    b"[" + b".".join([b"a"] * 5_000) + b"]",
)
_PIECES = (
    *(b"\0", b"\x1b[31m", b"\r", b"\xc3", b"\xed\xa0\x80", b"\n", b"'", b'"', b"'''", b'"""', b"["),
    *(
        b"]",
        b"{",
        b"}",
        b":",
        b"=",
        b"#",
        b"\\",
        b"&x ",
        b"*x ",
        b"!x ",
        b"|\n",
        b"\t",
        b"\xe2\x80\xa8",
    ),
)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    return msgspec.json.encode(value).decode()


_CONFIG = "\n".join(
    f"[{section}]\n" + "\n".join(f"{key} = {_toml(value)}" for key, value in values.items())
    for section, values in msgspec.to_builtins(Config()).items()
)
HOME = """\
floors:
  - name: First floor
    id: first
    aliases: [upstairs]
areas:
  - name: "[the] (Kitchen|Cook room)"
    id: kitchen
    floor: first
entities:
  - name: "Joe[']s lamp"
    id: light.lamp
    area: kitchen
    state: "on"
    attributes: {device_class: light, brightness: 40}
    aliases: [reading light]
  - name: Thermometer
    domain: sensor
    state: {in: cold, out: "17.5"}
"""
SENTENCES = """\
language: en
intents:
  HassTurnOn:
    data:
      - sentences: ["(engage|power up) [the] {name}", "<verb> {x:name} now"]
        slots: {domain: light}
        requires_context: {domain: light}
        required_keywords: [engage]
lists:
  x:
    values:
      - in: warp drive
        out: light.lamp
  level: {range: {from: 0, to: 100, step: 5}}
expansion_rules:
  verb: "(start|set to {level:brightness}) [up]"
skip_words: [please]
"""
_PROJECT = """\
[project]
name = "dice"
version = "1"
[project.entry-points."assistant.skills"]
dice = "dice:skill"
[tool.assistant]
api = 1
"""
_SKILL = """\
from assistant.skill import Reply, Skill
skill = Skill("dice", api=1)
@skill.intent("RollDice", "roll the dice")
def roll():
    return Reply("Four.")
"""
_FILES = tuple(
    (name, text.encode())
    for name, text in (
        ("config.toml", _CONFIG),
        ("home.yaml", HOME),
        ("sentences.yaml", SENTENCES),
        ("pyproject.toml", _PROJECT),
    )
)
