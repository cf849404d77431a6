"""The home that the bridge has found, as the text of a file."""

from __future__ import annotations

import msgspec

from assistant.core.errors import BridgeError
from assistant.skill.home import Home

LARGEST_DESCRIPTION_BYTES = 2 << 20
"""Most bytes of a description: half of what a message may have."""


def described_text(home: Home) -> str:
    """The file of a home, the same for the same home; raises `BridgeError` for too large a one."""
    content = msgspec.json.format(msgspec.json.encode(home, order="sorted"), indent=1)
    if len(content) > LARGEST_DESCRIPTION_BYTES:
        message = (
            f"the home is described in {len(content)} bytes; at most {LARGEST_DESCRIPTION_BYTES}"
            " can be taken: expose fewer entities to voice assistants, or announce fewer devices"
        )
        raise BridgeError("bridge.description", message)
    return content.decode()
