"""One text read on its own."""

from __future__ import annotations

from datetime import datetime

from nlu.interpreter import Interpreter, Understood
from nlu.normalize import Canonical
from nlu.templates import Templates


def understand(templates: Templates, said: Canonical, now: datetime) -> Understood:
    """Read the whole of a text as commands, with templates alone."""
    return Interpreter(templates)(said, now)
