"""Asks at a terminal, or takes the default where nobody is asked."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cli.shared.output import console
from assistant.cli.shared.questions import ask, confirm


class Asker:
    """Asks the user; if not `asks`, the answer is always the default."""

    def __init__(self, asks: bool) -> None:
        self.asks = asks

    def head(self, title: str) -> None:
        """Print the title of a step, if it is one that asks."""
        if self.asks:
            console.print(f"\n[bold]{title}[/]")

    def text(self, question: str, default: str = "") -> str:
        """A line of text; Enter gives the default."""
        if not self.asks:
            return default
        return ask(f"{question} [{default}]: " if default else f"{question}: ").strip() or default

    def yes(self, question: str, default: bool = True) -> bool:
        """Yes or no; Enter gives the default."""
        return confirm(question, default) if self.asks else default

    def choose(self, question: str, options: Sequence[str], default: int = 0) -> int:
        """The number of one of the options, from 1, or 0 for none."""
        if not self.asks:
            return default
        for number, option in enumerate(options, 1):
            tell(f"  {number}  {option}")
        while True:
            answer = self.text(f"{question} (0 for none)", str(default))
            if answer.isdecimal() and int(answer) <= len(options):
                return int(answer)
            tell(f"A number from 0 to {len(options)}, please.")


def tell(line: str = "") -> None:
    """Print one line for people."""
    console.print(line, markup=False, soft_wrap=True)
