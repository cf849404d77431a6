"""What a service of Home Assistant gives back, beside doing something."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from assistant.bridge.home_assistant.services import Call
from assistant.bridge.home_assistant.session import RefusedError, Session
from assistant.core.errors import UNDECODABLE

ANSWER_S = 3.0
"""Most seconds for the answer of one service."""

T = TypeVar("T")


class _Answer(msgspec.Struct, Generic[T]):
    response: dict[str, T]


async def response(session: Session, call: Call, kind: type[T], what: str) -> T:
    """What a service gives for the entity of a call, as a `kind`.

    Raises as `Session.ask`, and `RefusedError` for an answer without it, which says `what` it is.
    """
    told = await session.ask("call_service", ANSWER_S, return_response=True, **call.fields())
    try:
        return msgspec.json.decode(told, type=_Answer[kind]).response[call.entity_id]  # type: ignore[valid-type]
    except (KeyError, *UNDECODABLE) as error:
        raise RefusedError(f"an answer without {what}: {type(error).__name__}") from error
