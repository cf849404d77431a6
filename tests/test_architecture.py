"""The architecture, kept by walking the syntax tree of every module that the daemon may load.

The rules are those of `docs/architecture.md`; each has a control below that breaks it
in a made-up tree and must be caught.
"""

from __future__ import annotations

import ast
import graphlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = ("assistant", "audio", "nlu", "skills")
LONGEST_MODULE_LINES = 400
MOST_MODULES = 20
"""Of one folder, its `__init__` not counted."""

LAYERS: dict[str, tuple[str, ...]] = {
    "assistant.english": (),
    "assistant.core": (),
    "assistant.skill": ("assistant.core", "assistant.english"),
    "assistant.answer": ("assistant.skill", "assistant.core", "assistant.english"),
    "assistant.sensors": ("assistant.skill", "assistant.core", "assistant.english"),
    "assistant.pool": ("assistant.core",),
    "audio": ("assistant.skill", "assistant.core", "assistant.english"),
    "nlu": ("assistant.skill", "assistant.core", "assistant.english"),
    "skills": ("assistant.skill", "assistant.core", "assistant.english"),
    "assistant": ("audio", "nlu", "skills", "assistant"),
}
"""Layer → the further layers that it may import; the longest matching name is a module's layer."""

ONLY_IMPORTERS: dict[str, tuple[str, ...]] = {
    "zmq": ("assistant.core.bus",),
    "onnxruntime": ("assistant.core.models.session",),
    "sqlite3": ("assistant.core.database",),
    "sounddevice": ("audio.devices",),
    "faiss": ("assistant.answer.knowledge.vector_index",),
    "ray": ("assistant.hub.ray.engine",),
    "fastapi": ("assistant.hub.gateway",),
    "uvicorn": ("assistant.hub.server", "assistant.hub.connections"),
    "grpc": ("assistant.hub.rpc.server",),
    "google": ("assistant.hub.rpc.messages",),
    "starlette": (),
}
TABLE_OF_NAMES = "assistant.core.layout"
PICKLERS = ("pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve")
BROAD_EXCEPT_ALLOWED = (
    "assistant.core.worker",
    "assistant.answer.generation.token_scheduler",
    "assistant.answer.trial",
    "assistant.pool.runner",
    "assistant.hub.updates",
    "nlu.trial",
)
"""The worker turns every fault of a stage into words, and so does the runner, which also hands on
what keeps a stage from being made; the scheduler hands it to who waits for the stream, and a trial
has the model in use do what the other one fails on; the hub's updates log what one fails on, and
take the next; nothing else swallows what it can't name."""

LOADED_LATE = {
    (
        "assistant.supervision.daemon",
        "assistant.serving.threads",
    ): "else the supervisor's process would load it all",
    (
        "audio.tts.piper",
        "assistant.core.models.session",
    ): "onnxruntime, for whoever has a Piper voice",
    (
        "assistant.cli.network.hub",
        "assistant.hub.server",
    ): "Ray, FastAPI and uvicorn, which only the extra hub brings",
}
"""The imports of ours inside functions, each for weight; `cycle` counts them like all others."""

HUB, HUB_COMMAND = "assistant.hub", "assistant.cli.network.hub"

LIGHT_IN_HUB = ("assistant.hub.tenants",)
"""What the command may load before it knows that the extra is installed."""

FIRST_PROCESS = "assistant.supervision"
FIRST_PROCESS_STAYS_CLEAR_OF = ("zmq", "onnxruntime", "numpy")

Import = ast.Import | ast.ImportFrom


class Module:
    """One parsed file and what it imports: (name, line, whether inside a function)."""

    def __init__(self, name: str, text: str, known: frozenset[str]) -> None:
        self.name, self.lines = name, len(text.splitlines())
        self.tree = ast.parse(text)
        self._known = known
        self.imports = [
            (target, node.lineno, inside)
            for node, inside in _imports(self.tree, inside_function=False)
            for target in self._targets(node)
        ]

    def ours(self, at_start: bool = False) -> set[str]:
        """The modules of this repository that it imports, or only those when it is loaded."""
        return {
            target
            for target, _, inside in self.imports
            if target.split(".")[0] in PACKAGES and not (at_start and inside)
        }

    def _targets(self, node: Import) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            return
        base = "." * node.level + (node.module or "")
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            yield whole if whole in self._known else base


def load(root: Path) -> dict[str, Module]:
    """Every module below `root`'s packages, by dotted name."""
    files = {
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file
        for package in PACKAGES
        for file in sorted((root / package).rglob("*.py"))
    }
    known = frozenset(files)
    return {name: Module(name, file.read_text("utf-8"), known) for name, file in files.items()}


def _imports(node: ast.AST, inside_function: bool) -> Iterator[tuple[Import, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Import):
            yield child, inside_function
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _imports(child, inside_function or function)


def _below(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def _layer(name: str) -> str:
    return max((layer for layer in LAYERS if _below(name, layer)), key=len)


# ── the rules: each gives one line a breach ─────────────────────────────────────────────────


def wrong_layer(modules: Mapping[str, Module]) -> Iterator[str]:
    """A layer imports only what stands below it; siblings never import each other."""
    for module in modules.values():
        layer = _layer(module.name)
        allowed = (layer, *LAYERS[layer])
        for target in module.ours():
            # Above the siblings everything below may be used, so all of ours may be.
            if layer != "assistant" and _layer(target) not in allowed:
                yield f"{module.name} ({layer}) imports {target} ({_layer(target)})"


def relative_import(modules: Mapping[str, Module]) -> Iterator[str]:
    """Imports are absolute, so that the rules here see all of them."""
    for module in modules.values():
        for target, line, _ in module.imports:
            if target.startswith("."):
                yield f"{module.name}:{line} imports {target}"


def import_inside_function(modules: Mapping[str, Module]) -> Iterator[str]:
    """No import of ours hides in a function, but those that are known."""
    for module in modules.values():
        for target, line, inside in module.imports:
            known = (module.name, target) in LOADED_LATE
            if inside and target.split(".")[0] in PACKAGES and not known:
                yield f"{module.name}:{line} imports {target} inside a function"


def cycle(modules: Mapping[str, Module]) -> Iterator[str]:
    """The graph of imports, those inside functions included, has no cycle."""
    graph = {name: module.ours() - {name} for name, module in modules.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        yield " → ".join(reversed(error.args[1]))


def foreign_import(modules: Mapping[str, Module]) -> Iterator[str]:
    """Each of these libraries is imported in one place."""
    for module in modules.values():
        for target, line, _ in module.imports:
            owners = ONLY_IMPORTERS.get(target.split(".")[0])
            if owners is not None and module.name not in owners:
                yield f"{module.name}:{line} imports {target}; only {' and '.join(owners)} may"


def pickled(modules: Mapping[str, Module]) -> Iterator[str]:
    """Nothing is unpickled: bytes from a file or a socket must never run."""
    for module in modules.values():
        for target, line, _ in module.imports:
            if target.split(".")[0] in PICKLERS:
                yield f"{module.name}:{line} imports {target}"


def training_import(modules: Mapping[str, Module]) -> Iterator[str]:
    """The daemon never imports what trains its models."""
    for module in modules.values():
        for target, line, _ in module.imports:
            if _below(target, "models"):
                yield f"{module.name}:{line} imports {target}"


def broad_except(modules: Mapping[str, Module]) -> Iterator[str]:
    """Only what runs the work of others catches what it cannot name."""
    for module in modules.values():
        handlers = (n for n in ast.walk(module.tree) if isinstance(n, ast.ExceptHandler))
        for handler in handlers:
            if _is_broad(handler.type) and module.name not in BROAD_EXCEPT_ALLOWED:
                yield f"{module.name}:{handler.lineno} catches everything"


def _is_broad(caught: ast.expr | None) -> bool:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(
        kind is None or (isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException"))
        for kind in kinds
    )


def built_in_skill(modules: Mapping[str, Module]) -> Iterator[str]:
    """A module that declares a `Skill` needs only `assistant.skill`, English and its own."""
    for module in modules.values():
        if _layer(module.name) == "skills" and _declares_skill(module.tree):
            own = ".".join(module.name.split(".")[:2])
            for target in module.ours():
                allowed = ("assistant.skill", "assistant.english", own)
                if not any(_below(target, package) for package in allowed):
                    yield f"{module.name} declares a skill and imports {target}"


def _declares_skill(tree: ast.Module) -> bool:
    values = (n.value for n in tree.body if isinstance(n, ast.Assign | ast.AnnAssign))
    return any(
        isinstance(v, ast.Call) and isinstance(v.func, ast.Name) and v.func.id == "Skill"
        for v in values
    )


def heavy_first_process(modules: Mapping[str, Module]) -> Iterator[str]:
    """What the supervisor's process loads, through whatever module, is light."""
    waiting = [name for name in modules if _below(name, FIRST_PROCESS)]
    seen = set(waiting)
    while waiting:
        module = modules[waiting.pop()]
        for target, _, inside in module.imports:
            if not inside and target.split(".")[0] in FIRST_PROCESS_STAYS_CLEAR_OF:
                yield f"the supervisor's process loads {module.name}, which imports {target}"
        found = {name for name in module.ours(at_start=True) if name in modules} - seen
        waiting += sorted(found)
        seen |= found


def hub_import(modules: Mapping[str, Module]) -> Iterator[str]:
    """Nothing but its command knows the hub, so that no device loads any of it."""
    for module in modules.values():
        for target, line, inside in module.imports:
            if _below(module.name, HUB) or not _below(target, HUB):
                continue
            if module.name != HUB_COMMAND or (not inside and target not in LIGHT_IN_HUB):
                yield f"{module.name}:{line} imports {target}"


def long_module(modules: Mapping[str, Module]) -> Iterator[str]:
    """A module can be read in one sitting."""
    for module in modules.values():
        if module.lines > LONGEST_MODULE_LINES:
            yield f"{module.name} has {module.lines} lines"


def crowded_folder(modules: Mapping[str, Module]) -> Iterator[str]:
    """A folder's modules can be taken in at a glance."""
    folders = Counter(name.rpartition(".")[0] for name in modules if name not in _packages(modules))
    for folder, count in folders.items():
        if count > MOST_MODULES:
            yield f"{folder} has {count} modules"


def module_in_string(modules: Mapping[str, Module]) -> Iterator[str]:
    """Modules that are run by name are named in one table, so that no cycle hides in strings."""
    known = {*modules, *_packages(modules)} - {""}
    for module in modules.values():
        if module.name != TABLE_OF_NAMES:
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    named = node.value.partition(":")[0].rstrip(".")
                    if "." in named and named in known:
                        yield f'{module.name}:{node.lineno} says "{node.value}"'


def _packages(modules: Mapping[str, Module]) -> set[str]:
    return {name.rpartition(".")[0] for name in modules}


RULES: tuple[Callable[[Mapping[str, Module]], Iterator[str]], ...] = (
    wrong_layer,
    relative_import,
    import_inside_function,
    cycle,
    foreign_import,
    pickled,
    training_import,
    broad_except,
    built_in_skill,
    heavy_first_process,
    hub_import,
    long_module,
    crowded_folder,
    module_in_string,
)

BREACHES: dict[str, list[dict[str, str]]] = {
    "wrong_layer": [
        {"assistant/core/a.py": "import assistant.skill.b", "assistant/skill/b.py": ""},
        {"audio/a.py": "from nlu.b import c", "nlu/b.py": "c = 1"},
        {
            "skills/a.py": "from assistant.supervision.daemon import c",
            "assistant/supervision/daemon.py": "c = 1",
        },
        {"nlu/a.py": "from assistant.answer import b", "assistant/answer/b.py": ""},
        {"assistant/skill/a.py": "from assistant import pipeline", "assistant/pipeline.py": ""},
        {"assistant/english/a.py": "from assistant.core import b", "assistant/core/b.py": ""},
        {"assistant/pool/a.py": "from assistant.answer import b", "assistant/answer/b.py": ""},
    ],
    "relative_import": [{"audio/a.py": "from . import b", "audio/b.py": ""}],
    "import_inside_function": [{"audio/a.py": "def f():\n    import assistant.core.b"}],
    "cycle": [
        {"audio/a.py": "import audio.b", "audio/b.py": "def f():\n    from audio import a"},
        {
            "audio/a.py": "import audio.b",
            "audio/b.py": "from audio import c",
            "audio/c.py": "from audio.a import f",
        },
    ],
    "foreign_import": [
        {"assistant/core/a.py": "import zmq"},
        {"assistant/core/a.py": "import zmq.asyncio"},
        {"audio/asr/a.py": "def f():\n    from onnxruntime import InferenceSession"},
        {"skills/a.py": "import sqlite3"},
        {"assistant/doctor/checks.py": "import sounddevice"},
        {"assistant/answer/a.py": "import faiss"},
        {"assistant/core/a.py": "import ray"},
        {"assistant/bridge/a.py": "from fastapi import FastAPI"},
        {"assistant/hub/gateway.py": "from ray import serve"},
        {"audio/a.py": "def f():\n    import uvicorn"},
        {"assistant/hub/a.py": "import grpc.aio"},
        {"assistant/core/a.py": "from google.protobuf import descriptor_pb2"},
    ],
    "pickled": [{"audio/a.py": "import pickle"}, {"nlu/a.py": "from joblib import load"}],
    "training_import": [{"nlu/a.py": "from models.training import fit"}],
    "broad_except": [
        {"audio/a.py": "try:\n    pass\nexcept Exception:\n    pass"},
        {"audio/a.py": "try:\n    pass\nexcept:\n    pass"},
        {"audio/a.py": "try:\n    pass\nexcept (OSError, BaseException):\n    pass"},
    ],
    "built_in_skill": [
        {"skills/a.py": "from assistant.core.bus import b\nskill = Skill('a', api=1)"},
        {"skills/a/b.py": "from skills.c import d\nskill = Skill('a')", "skills/c.py": "d = 1"},
    ],
    "heavy_first_process": [
        {
            "assistant/supervision/supervisor.py": "import assistant.a",
            "assistant/a.py": "import numpy",
        },
        {
            "assistant/supervision/logs.py": "import assistant.core.bus",
            "assistant/core/bus.py": "import zmq",
        },
    ],
    "hub_import": [
        {"assistant/serving/a.py": "import assistant.hub.b", "assistant/hub/b.py": ""},
        {"assistant/pool/a.py": "from assistant.hub import b", "assistant/hub/b.py": ""},
        {
            "assistant/bridge/a.py": "def f():\n    import assistant.hub.b",
            "assistant/hub/b.py": "",
        },
        {"assistant/cli/network/hub.py": "import assistant.hub.b", "assistant/hub/b.py": ""},
    ],
    "crowded_folder": [{f"audio/asr/m{n}.py": "" for n in range(MOST_MODULES + 1)}],
    "module_in_string": [
        {"assistant/core/a.py": 'B = "audio.b:run"', "audio/b.py": ""},
        {"assistant/cli/a.py": 'def b(c): return f"assistant.cli.{c}"'},
    ],
    "long_module": [{"audio/a.py": "\n" * (LONGEST_MODULE_LINES + 1)}],
}
"""Rule → trees (path → text), each of which must be caught."""

SOUND = {
    "assistant/core/bus.py": "import zmq",
    "assistant/core/layout.py": 'SERVE = "assistant.serving.threads:serve"',
    "assistant/core/worker.py": "try:\n    pass\nexcept Exception:\n    pass",
    "assistant/supervision/daemon.py": (
        "import audio.a\ndef f():\n    import assistant.serving.threads"
    ),
    "assistant/serving/threads.py": "import assistant.core.bus",
    "audio/a.py": "import assistant.core.errors\ndef f():\n    import faster_whisper",
    "skills/a.py": "from assistant.skill import Skill\nskill = Skill('a', api=1)",
    "assistant/hub/ray/engine.py": "import ray",
    "assistant/hub/server.py": "import assistant.hub.ray.engine",
    "assistant/hub/tenants.py": "",
    "assistant/cli/network/hub.py": (
        "import assistant.hub.tenants\ndef f():\n    import assistant.hub.server"
    ),
}
"""A tree that keeps every rule: none may cry wolf."""


@pytest.fixture(scope="module")
def tree() -> Mapping[str, Module]:
    return load(REPOSITORY)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_tree_keeps(
    rule: Callable[[Mapping[str, Module]], Iterator[str]], tree: Mapping[str, Module]
) -> None:
    assert list(rule(tree)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_breach_is_caught(
    rule: Callable[[Mapping[str, Module]], Iterator[str]], tmp_path: Path
) -> None:
    for number, tree in enumerate(BREACHES[rule.__name__]):
        breaches = list(rule(load(_grow(tmp_path / str(number), tree))))
        assert breaches, tree


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_sound_tree_passes(
    rule: Callable[[Mapping[str, Module]], Iterator[str]], tmp_path: Path
) -> None:
    breaches = list(rule(load(_grow(tmp_path, SOUND))))
    assert breaches == []


def test_the_repository_is_really_read(tree: Mapping[str, Module]) -> None:
    """An empty walk would keep every rule."""
    assert {"assistant.core.bus", "assistant.core.worker"} <= tree.keys()


def _grow(root: Path, tree: Mapping[str, str]) -> Path:
    for path, text in tree.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return root
