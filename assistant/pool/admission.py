"""How much of a reply there is time for, decided once, before the request waits anywhere.

| predicted, memory pressure included    | tier      | the user hears                |
|----------------------------------------|-----------|-------------------------------|
| the generator's words within budget    | full      | them                          |
| the found sentence within budget       | extracted | the sentence as it stands     |
| neither                                | busy      | `BUSY_REPLY`, at once         |

What was accepted keeps its tier and is served, however long that takes in the end.
"""

from __future__ import annotations

import math
from enum import StrEnum

BUSY_REPLY = "I'm busy right now. Please ask me again in a moment."


class Tier(StrEnum):
    """How a request is answered, the best first."""

    FULL = "full"
    EXTRACTED = "extracted"
    BUSY = "busy"


def admit(full_s: float, extracted_s: float, budget_s: float, pressure: float = 0.0) -> Tier:
    """The best tier whose time lies within the budget.

    The times are predicted until the last word, in seconds, infinite where no worker is fit.
    `pressure` is the share of time in which work stands still for want of memory, from 0 to 1: of
    each second only the rest is worked, so predictions grow by as much.
    """
    works = 1.0 - pressure
    for tier, predicted_s in ((Tier.FULL, full_s), (Tier.EXTRACTED, extracted_s)):
        if math.isfinite(predicted_s) and predicted_s <= budget_s * works and works > 0:
            return tier
    return Tier.BUSY
