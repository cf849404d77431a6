"""Inputs for a parser: honest ones that are changed, and shapes that cost a careless one dearly."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

import msgspec

from benchmarks.hostile.mutation import ABSURD, replaced
from benchmarks.hostile.parsers.parser import Parser

LARGE_SHARE = 0.003
"""Share of the inputs that may have as many bytes as the parser is given at the most."""
SMALL_BYTES = 8_000
"""Most bytes of the others, about."""
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_TEXT = re.compile(rb'"[^"\n]*"|\'[^\'\n]*\'|>[^<>\n]+<|(?<=[:=])[^\n:;=]+')
_WORD = re.compile(rb"[A-Za-z][\w-]*")


def made(parser: Parser, seed: int, number: int) -> bytes:
    """The input of this number, the same for the same seed."""
    rng = random.Random(seed << 40 | number)
    if parser.attacks and rng.random() < 0.1:
        return rng.choice(parser.attacks)(rng)[: parser.largest]
    most = parser.largest if rng.random() < LARGE_SHARE else min(SMALL_BYTES, parser.largest)
    content = rng.choice(parser.samples)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        (way,) = rng.choices(_WAYS, _WEIGHTS)
        content = way(content, parser, most, rng)
    return content[: parser.largest + 1]


Way = Callable[[bytes, Parser, int, random.Random], bytes]


def _flip_bits(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    flipped = bytearray(content or b"x")
    for _ in range(rng.choice((1, 1, 2, 8, 40))):
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
    return bytes(flipped)


def _cut(content: bytes, _: Parser, most: int, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _drop(content: bytes, _: Parser, most: int, rng: random.Random) -> bytes:
    begin = rng.randrange(len(content) + 1)
    return content[:begin] + content[begin + rng.choice((1, 3, 20, 200)) :]


def _splice(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    other = rng.choice(parser.samples)
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


def _replace_number(content: bytes, _: Parser, most: int, rng: random.Random) -> bytes:
    return _replace(_NUMBER, rng.choice(NUMBERS), content, rng)


def _replace_text(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    text = rng.choice((*TEXTS, *parser.pieces, b"x" * most, b"a " * (most // 2)))
    found = [*_TEXT.finditer(content)]
    if not found:
        return content + text
    one = rng.choice(found)
    edges = one[0][:1], one[0][-1:]
    quoted = edges in ((b'"', b'"'), (b"'", b"'"), (b">", b"<"))
    put = edges[0] + text + edges[1] if quoted and rng.random() < 0.8 else text
    return content[: one.start()] + put + content[one.end() :]


def _replace_word(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    return _replace(_WORD, rng.choice((*parser.pieces, *TEXTS, b"x" * most)), content, rng)


def _replace(pattern: re.Pattern[bytes], by: bytes, content: bytes, rng: random.Random) -> bytes:
    found = [*pattern.finditer(content)]
    if not found:
        return content + by
    one = rng.choice(found)
    return content[: one.start()] + by + content[one.end() :]


def _insert(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    piece = rng.choice((*PIECES, *parser.pieces))
    return content[:at] + piece * rng.choice((1, 1, 1, 2, 40)) + content[at:]


def _repeat_line(content: bytes, _: Parser, most: int, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    length = rng.choice((1, 1, 2, len(lines)))
    chosen = lines[at : at + length]
    size = sum(map(len, chosen)) + length
    times = rng.choice((1, 2, max(1, most // max(1, size))))
    return b"\n".join([*lines[:at], *chosen * times, *lines[at:]])


def _repeat_piece(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    piece = b"".join(rng.choices((*PIECES, *parser.pieces), k=rng.choice((1, 1, 2, 3))))
    return content[:at] + piece * max(1, most // len(piece)) + content[at:]


def _nest(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    opening, closing = rng.choice(parser.nests or ((b"[", b"]"), (b"(", b")")))
    deep = rng.choice((2, 20, 40, 300, 1_500, most))
    deep = max(1, min(deep, most // max(1, len(opening) + len(closing))))
    at = rng.randrange(len(content) + 1)
    inside = rng.choice((content[at:], b"", b"x"))
    return content[:at] + opening * deep + inside + closing * rng.choice((deep, deep, 0))


def _confuse(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    """Replace a value of JSON, at any depth, by another of any type."""
    try:
        plain = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _flip_bits(content, parser, most, rng)
    by = rng.choice((*_PLAIN, "x" * most, ["x"] * (most // 4), {"x" * n: n for n in range(9)}))
    try:
        return json.dumps(replaced(plain, by, rng)).encode()
    except (ValueError, RecursionError):
        return content


def _noise(content: bytes, _: Parser, most: int, rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 2, 40, 400)))


def _fill(content: bytes, parser: Parser, most: int, rng: random.Random) -> bytes:
    """An honest input as large as may be, to be changed."""
    return parser.honest(most)


_KINDS: dict[Way, float] = {
    _flip_bits: 12,
    _cut: 6,
    _drop: 6,
    _splice: 8,
    _replace_number: 10,
    _replace_text: 14,
    _replace_word: 8,
    _insert: 12,
    _repeat_line: 8,
    _repeat_piece: 3,
    _nest: 5,
    _confuse: 12,
    _noise: 2,
    _fill: 1,
}
"""Ways to change an input → their shares in hundredths, about."""
_WAYS, _WEIGHTS = tuple(_KINDS), tuple(_KINDS.values())
_PLAIN = tuple(value for value in ABSURD if not isinstance(value, bytes))
NUMBERS = (
    *(b"0", b"-1", b"00", b"1", b"2", b"366", b"99999999", b"2147483648", b"9223372036854775808"),
    *(b"9" * 400, b"9" * 5_000, b"-" + b"9" * 5_000, b"1e308", b"1e999", b"-1e999", b"1e-400"),
    *(b"NaN", b"Infinity", b"-Infinity", b"nan", b"0x10", b"1_000", b"+1", b"1.5", b"-0.0"),
    *("٣".encode(), "²".encode(), b"true", b"null", b'"1"', b"0.1" + b"0" * 400),
)
TEXTS = (
    *(b"", b" ", b"\\u0000", b"\\ud800", b"\\udfff\\ud800", b"\\u202e", b"\\u001b[2J", b"\\n"),
    *(b"\0", b"\x1b[2J", b"\r", b"\n", b"\r\n ", b"\t", b"\xed\xa0\x80", b"\xff", b"\xc3"),
    *(
        "\u202eevil".encode(),
        "\u2028".encode(),
        "é".encode(),
        "🙂".encode(),
        b"../../../etc/passwd",
    ),
    *(b"x" * 2_000, b"{name}", b"%s%n", b"' OR 1=1 --", b"<b>", b"&amp;", b"&#x110000;", b"[a]"),
    *(b"(a|b)", b"null", b"true", b"unknown", b"unavailable", b"None", b"__class__"),
)
PIECES = (
    *(b"\0", b"\x1b[31m", b"\r", b"\n", b"\t", b" ", b"\xc3", b"\xed\xa0\x80", b"\xff\xfe"),
    *(b"\xef\xbb\xbf", b"'", b'"', b"\\", b"[", b"]", b"{", b"}", b"(", b")", b"<", b">", b"&"),
    *(b";", b":", b",", b"=", b"-", b"#", b"/", b"%", b"|", b"\\u", b"\xe2\x80\xa8", b"a", b"1"),
)
