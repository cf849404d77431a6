"""Small faults in a Python file: each mutation changes one place as a careless mistake might.

Docstrings, types, `__all__`, log lines and the words of an error (not its code) are left unchanged,
as no test should depend on them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

SWAPS = {
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not"},
    **{"is not": "is", "in": "not in", "not in": "in", "and": "or", "or": "and", "+": "-"},
    **{"-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*", "<<": ">>", ">>": "<<"},
    **{"|": "&", "&": "|", "^": "|"},
}
_OPERATOR = re.compile(rb"is\s+not|not\s+in|is|in|and|or|[<>=!]=|//|\*\*|<<|>>|[-+*/%|&^<>]")
_TYPES = ("TypeVar", "NewType", "ParamSpec", "cast")
_QUIET_LOGS = ("debug", "info")
_WRAPPED = (ast.Compare, ast.BoolOp, ast.Constant)


class Mutation(NamedTuple):
    """The bytes from `start` to `end` of a file become `text`."""

    start: int
    end: int
    text: bytes
    what: str

    def applied(self, source: bytes) -> bytes:
        """The file with the fault in it."""
        return source[: self.start] + self.text + source[self.end :]


def mutations(source: bytes) -> list[Mutation]:
    """Every mutation of a file, in order of place; some are not valid Python, see `compiles`."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    return sorted(set(finder.found))


def compiles(source: bytes) -> bool:
    """Whether it is valid Python."""
    try:
        compile(source, "<mutant>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


class _Finder(ast.NodeVisitor):
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._lines = [0, *(i + 1 for i, byte in enumerate(source) if byte == ord("\n"))]
        self._keeps_sentences = False
        self.found: list[Mutation] = []

    # ── what is left alone ──────────────────────────────────────────────────────────────────

    def visit_arg(self, node: ast.arg) -> None:
        """Skip the argument: it has a type and nothing else."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """Skip the assertion: it informs the type checker."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Mutate the value; the type stays."""
        self._assignment(node, [node.target], node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Drop what is stored in an object or a collection; a text may be an error's."""
        if not any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            self._assignment(node, node.targets, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Drop or reverse the assignment."""
        self._replace(node, b"pass", "statement deleted")
        self._operators(node.target, node.value)
        self.visit(node.value)

    def _assignment(
        self, node: ast.stmt, targets: Sequence[ast.expr], value: ast.AST | None
    ) -> None:
        if any(isinstance(target, ast.Attribute | ast.Subscript) for target in targets):
            self._replace(node, b"pass", "statement deleted")
        if value is not None:
            # A sentence that is stored under a name is what an error or a log will say.
            keeps_before, self._keeps_sentences = self._keeps_sentences, True
            self.visit(value)
            self._keeps_sentences = keeps_before

    # ── statements ──────────────────────────────────────────────────────────────────────────

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Mutate decorators, defaults and body, but not the types."""
        self._decorators(node.decorator_list)
        self._all([*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Mutate decorators and body, but not the bases."""
        self._decorators(node.decorator_list)
        self._all(node.body)

    def visit_If(self, node: ast.If) -> None:
        """Negate the condition, unless it asks whether the file is the program."""
        if not (isinstance(node.test, ast.Compare) and "__name__" in ast.unparse(node.test)):
            self._condition(node.test)
            self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        """Negate the condition."""
        self._condition(node.test)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Drop a call; docstrings and minor log lines stay."""
        quiet = isinstance(node.value, ast.Call) and _logs(node.value, _QUIET_LOGS)
        if not (isinstance(node.value, ast.Constant) or quiet):
            self._replace(node, b"pass", "statement deleted")
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Drop the statement."""
        self._replace(node, b"pass", "statement deleted")
        if node.exc is not None:
            self.visit(node.exc)

    def visit_Return(self, node: ast.Return) -> None:
        """Return nothing, or do not return."""
        if node.value is None:
            self._replace(node, b"pass", "statement deleted")
        elif not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._replace(node, b"return None", "None returned")
            self.visit(node.value)

    def visit_Break(self, node: ast.Break) -> None:
        """Drop the statement."""
        self._replace(node, b"pass", "statement deleted")

    def visit_Continue(self, node: ast.Continue) -> None:
        """Drop the statement."""
        self._replace(node, b"pass", "statement deleted")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Drop any one of its exceptions."""
        if isinstance(node.type, ast.Tuple):
            self._drop(node.type.elts, "exception dropped")
        elif node.type is not None:
            self._replace(node.type, b"()", "exception dropped")
        self._all(node.body)

    # ── expressions ─────────────────────────────────────────────────────────────────────────

    def visit_Call(self, node: ast.Call) -> None:
        """Drop an argument; of an error only the code is mutated."""
        name = ast.unparse(node.func).rpartition(".")[2]
        if name in _TYPES or _logs(node):
            return
        if name.endswith("Error"):
            self._all(node.args[:1])
            return
        if name == "suppress":
            self._drop(node.args, "exception dropped")
        elif node.keywords:
            self._drop([*node.args, *node.keywords], "argument dropped", node.keywords)
        elif len(node.args) > 1:
            self._drop(node.args, "argument dropped", node.args[-1:])
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Negate the condition."""
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Negate the conditions."""
        for condition in node.ifs:
            self._condition(condition)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Change each of its operators."""
        self._operators(node.left, *node.comparators)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Change each of its operators."""
        self._operators(*node.values)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Change the operator, unless it joins types."""
        if not (isinstance(node.op, ast.BitOr) and (_is_type(node.left) or _is_type(node.right))):
            self._operators(node.left, node.right)
            self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Drop the operator."""
        start, _ = self._span(node)
        self._cut(start, self._span(node.operand)[0], "operator dropped")
        self.visit(node.operand)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Use one more, the opposite, or other letters."""
        match node.value:
            case bool():
                self._replace(node, str(not node.value).encode(), "constant changed")
            case int() | float():
                self._replace(node, repr(node.value + 1).encode(), "constant changed")
            case str() as text if not (self._keeps_sentences and " " in text):
                self._replace(node, f"({text + 'X'!r})".encode(), "constant changed")
            case bytes() as content:
                self._replace(node, f"({content + b'X'!r})".encode(), "constant changed")

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Use other letters; the places of its parts are not known before Python 3.12."""
        text = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        if not (self._keeps_sentences and " " in text):
            start, end = self._span(node)
            self._replace(node, b"(" + self._source[start:end] + b" 'X')", "constant changed")

    # ── places ──────────────────────────────────────────────────────────────────────────────

    def _span(self, node: ast.AST) -> tuple[int, int]:
        at = {name: getattr(node, name) for name in node._attributes}
        start = self._lines[at["lineno"] - 1] + at["col_offset"]
        return start, self._lines[at["end_lineno"] - 1] + at["end_col_offset"]

    def _all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def _replace(self, node: ast.AST, text: bytes, what: str) -> None:
        self.found.append(Mutation(*self._span(node), text, what))

    def _cut(self, start: int, end: int, what: str) -> None:
        self.found.append(Mutation(start, end, b"", what))

    def _condition(self, test: ast.expr) -> None:
        is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        if not (isinstance(test, _WRAPPED) or is_not):
            start, end = self._span(test)
            self._replace(test, b"not (" + self._source[start:end] + b")", "condition reversed")

    def _operators(self, *operands: ast.expr) -> None:
        for left, right in pairwise(operands):
            start, end = self._span(left)[1], self._span(right)[0]
            if sign := _OPERATOR.search(self._source, start, end):
                swapped = SWAPS[" ".join(sign[0].decode().split())].encode()
                self.found.append(Mutation(*sign.span(), swapped, "operator swapped"))

    def _drop(
        self, row: Sequence[ast.AST], what: str, which: Sequence[ast.AST] | None = None
    ) -> None:
        """Cut single ones out of a row with commas."""
        for place, node in enumerate(row):
            if which is None or node in which:
                start, end = self._span(node)
                if place:
                    start = self._span(row[place - 1])[1]
                elif len(row) > 1:
                    end = self._span(row[1])[0]
                self._cut(start, end, what)

    def _decorators(self, decorators: Sequence[ast.expr]) -> None:
        for decorator in decorators:
            start, end = self._span(decorator)
            self._cut(self._source.rindex(b"@", 0, start), end, "decorator dropped")
            self.visit(decorator)


def _is_type(node: ast.expr) -> bool:
    name = ast.unparse(node).rpartition(".")[2]
    return name == "None" or "[" in name or (name[:1].isupper() and not name.isupper())


def _logs(call: ast.Call, levels: Sequence[str] = ()) -> bool:
    logger, _, level = ast.unparse(call.func).rpartition(".")
    return logger == "log" and (not levels or level in levels)
