"""Pairing as a satellite does it: it says a number, and pins the base that knows it."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable

from assistant.core.errors import RoomsError
from assistant.pairing.exchange import SATELLITE, VERSION, Exchange
from assistant.pairing.number import Number
from assistant.pairing.secret import of_number
from assistant.pairing.steps import (
    Begin,
    Confirm,
    Done,
    Ready,
    Refused,
    Share,
    Step,
    next_step,
    send,
)
from assistant.pairing.trust import Trust

ANSWERS_S = 10.0
"""Seconds in which the base takes its next step."""
INVITATION = "To pair me, type this number."

log = logging.getLogger(__name__)


class Pairing:
    """Pairs the satellite of `trust`; `say` says words aloud.

    With a `key` it knows that, and says no number.
    """

    def __init__(
        self,
        trust: Trust,
        say: Callable[[str], None],
        key: bytes | None = None,
        number: Number | None = None,
    ) -> None:
        self.trust, self._say, self._key = trust, say, key
        self._number = number or Number()

    async def converse(
        self, step: Step, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Take a base's first step, and go on with it; raises `RoomsError`."""
        try:
            if self.trust.base.stamp is not None:
                raise RoomsError("pairing.paired", "it is paired already")
            if isinstance(step, Begin):
                self._begin(step)
                await send(Ready(), writer)
            elif isinstance(step, Share):
                await self._exchange(step, reader, writer)
        except RoomsError as error:
            await send(Refused(error.code, error.message), writer)
            raise

    def _begin(self, step: Begin) -> None:
        if step.version != VERSION:
            raise RoomsError("pairing.version", "the two Harks are of different releases")
        if step.by_key != (self._key is not None):
            wants = "a key" if self._key is not None else "the number that it says"
            raise RoomsError("pairing.kind", f"it is paired by {wants}")
        if not step.by_key:
            digits = self._number.offer()
            log.info("to be paired, it says %s (satellite.pairing)", digits)
            said = ", ".join(digits)
            self._say(f"{INVITATION} {said}. Once more: {said}.")

    async def _exchange(
        self, theirs: Share, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        by_key = self._key is not None and theirs.by_key
        secret = self._key if self._key is not None and by_key else of_number(self._number.tried())
        self.trust.identity.make()
        certificate = self.trust.identity.certificate
        exchange = Exchange(SATELLITE, secret, certificate)
        exchange.meet(theirs.share, theirs.certificate)
        require_certificate(theirs.certificate)
        await send(Share(by_key, exchange.share, certificate), writer)
        proof = await next_step(reader, ANSWERS_S)
        if not isinstance(proof, Confirm) or not exchange.confirms(proof.proof):
            raise self._wrong(by_key)
        await send(Confirm(exchange.confirmation), writer)
        if isinstance(await next_step(reader, ANSWERS_S), Done):
            self.trust.base.keep(theirs.certificate)
            self._number.guessed()
            await send(Done(), writer)
            log.info("it is paired with its base, and serves no other (satellite.pairing)")

    def _wrong(self, by_key: bool) -> RoomsError:
        if by_key:
            return RoomsError("pairing.wrong", "the keys are not the same")
        if left := self._number.left:
            again = f"{left} more {'try' if left == 1 else 'tries'}"
            return RoomsError("pairing.wrong", f"that is not its number; {again}")
        return RoomsError("pairing.spent", "that is not its number, which has ended; begin again")


def require_certificate(certificate: bytes) -> None:
    """Raise `RoomsError` for bytes that are no certificate."""
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=certificate)
    except (ssl.SSLError, ValueError) as error:
        raise RoomsError("pairing.certificate", "the other side sends no certificate") from error
