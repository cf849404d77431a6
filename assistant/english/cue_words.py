"""Words that mark a sentence as central to a text (Edmundson 1969)."""

from __future__ import annotations

import re

CUE_WORDS = re.compile(
    r"\b(?:must|should|never|always|agreed|resolved|decided|planned|will|recommend\w*|advise\w*"
    r"|propose\w*|asks?|asked|most|main|mainly|important|first|best|worst|needs?|needed"
    r"|because|therefore|results?|shows?|showed|found|conclu\w+)\b",
    re.IGNORECASE,
)
CUE_HEADINGS = re.compile(
    r"\b(?:abstract|summary|overview|purpose|conclusions?|results?|findings|found|assessment"
    r"|recommend\w*|advice|advise|proposals?|follows|change|rules?|safety|safe|dangers?|warnings?"
    r"|important|main|decisions?|resolved)\b",
    re.IGNORECASE,
)
"""Words in the heading above a sentence that mark it as central."""
