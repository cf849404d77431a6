"""How questions begin."""

from __future__ import annotations

import re

ASKS = re.compile(
    r"(hey |so |and |okay |ok |please )*"
    r"(tell me|do you know|who|whose|whom|what|which|when|where|why|how|"
    r"is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|must)\b"
)
ASKS_WHEN = re.compile(
    r"(?:hey |so |and |okay |ok |please |tell me |do you know )*"
    r"(?:when|(?:at )?what (?:time|day|date)|which day|how long until)\b"
)
