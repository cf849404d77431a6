"""Keys and signatures in minisign's format, checked by the real minisign where it is installed."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from assistant.core.errors import ModelError
from assistant.model_files.signing import minisign
from assistant.model_files.signing.minisign import (
    Signature,
    make_key,
    read_exactly,
    read_public_file,
    read_secret,
    read_signature,
    verify,
    write_key,
)

CONTENT = b'{"format":1}'

needs_minisign = pytest.mark.skipif(
    shutil.which("minisign") is None, reason="minisign is not installed: apt install minisign"
)


def no_password() -> str:
    pytest.fail("asked for a password")


def run(*arguments: object, given: str = "") -> subprocess.CompletedProcess[str]:
    words = ["minisign", *map(str, arguments)]
    return subprocess.run(words, input=given, capture_output=True, text=True, check=False)


def refused(content: bytes, signature: Signature, key: minisign.PublicKey) -> str:
    with pytest.raises(ModelError) as refusal:
        verify(content, signature, key, "it")
    return refusal.value.code


def test_a_signature_holds_for_its_content_and_its_key_alone() -> None:
    key, other = make_key(), make_key()
    signature = read_exactly(key.sign(CONTENT).text, "it")
    verify(CONTENT, signature, key.public, "it")
    assert refused(CONTENT + b" ", signature, key.public) == "model.signature"
    assert refused(CONTENT, signature, other.public) == "model.signature"


def test_the_trusted_comment_is_signed_too() -> None:
    key = make_key()
    text = key.sign(CONTENT).text.replace("signed for Hark\n", "signed for Herk\n", 2)
    changed = read_signature(text, "it")
    assert changed.comment == "signed for Herk"
    assert refused(CONTENT, changed, key.public) == "model.signature"


def test_no_changed_byte_of_a_signature_is_taken() -> None:
    key = make_key()
    text = key.sign(CONTENT).text.encode()
    for at in range(len(text)):
        changed = (text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]).decode()
        with pytest.raises(ModelError):
            verify(CONTENT, read_exactly(changed, "it"), key.public, "it")


@pytest.mark.parametrize(
    "text", ["", "\n\n\n\n", "untrusted comment: x\nRUQ=\ntrusted comment: y\nAA==\n", "x" * 5000]
)
def test_what_is_no_signature_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ModelError, match="no signature in minisign's format"):
        read_signature(text, "it")


def test_a_signature_of_the_content_itself_is_refused() -> None:
    """Minisign's older kind: of it the whole content would have to be held in memory."""
    key = make_key()
    lines = key.sign(CONTENT).text.splitlines()
    older = b"Ed" + base64.b64decode(lines[1])[2:]
    lines[1] = base64.b64encode(older).decode()
    with pytest.raises(ModelError, match="signature of a hash"):
        read_signature("\n".join(lines), "it")


def test_a_key_without_a_password_is_read_back(tmp_path: Path) -> None:
    secret, public = tmp_path / "a.key", tmp_path / "a.pub"
    key = make_key()
    write_key(key, secret, public, "")
    assert read_secret(secret, no_password) == key
    assert read_public_file(public) == (key.public,)
    assert secret.stat().st_mode & 0o777 == 0o600


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    secret, public = tmp_path / "a.key", tmp_path / "a.pub"
    write_key(make_key(), secret, public, "")
    before = secret.read_bytes()
    with pytest.raises(ModelError, match="never overwritten"):
        write_key(make_key(), secret, public, "")
    assert secret.read_bytes() == before


def test_a_secret_key_without_a_password_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    secret = tmp_path / "a.key"
    write_key(make_key(), secret, tmp_path / "a.pub", "")
    secret.chmod(0o644)
    with pytest.raises(ModelError, match="chmod 600"):
        read_secret(secret, no_password)


def test_a_password_opens_its_key_and_a_wrong_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A sixteenth of the effort, for a test that is not to take 1 GB.
    monkeypatch.setattr(minisign, "_EFFORT", (1 << 21, 1 << 26))
    secret, key = tmp_path / "a.key", make_key()
    write_key(key, secret, tmp_path / "a.pub", "correct horse")
    secret.chmod(0o755)  # as each file of a stick has it
    assert read_secret(secret, lambda: "correct horse") == key
    with pytest.raises(ModelError) as refusal:
        read_secret(secret, lambda: "battery staple")
    assert refusal.value.code == "model.password"


@needs_minisign
def test_minisign_checks_what_is_signed_here(tmp_path: Path) -> None:
    content, signature = tmp_path / "bundle.json", tmp_path / "bundle.json.minisig"
    key = make_key()
    write_key(key, tmp_path / "a.key", tmp_path / "a.pub", "")
    content.write_bytes(CONTENT)
    signature.write_text(key.sign(CONTENT).text)
    assert run("-V", "-p", tmp_path / "a.pub", "-m", content).returncode == 0
    content.write_bytes(CONTENT + b" ")
    assert run("-V", "-p", tmp_path / "a.pub", "-m", content).returncode == 1


@needs_minisign
def test_minisign_signs_with_a_key_that_was_made_here(tmp_path: Path) -> None:
    content = tmp_path / "bundle.json"
    content.write_bytes(CONTENT)
    key = make_key()
    write_key(key, tmp_path / "a.key", tmp_path / "a.pub", "")
    signed = run("-S", "-W", "-s", tmp_path / "a.key", "-m", content)
    assert signed.returncode == 0, signed.stderr
    text = (tmp_path / "bundle.json.minisig").read_text()
    verify(CONTENT, read_signature(text, "it"), key.public, "it")


@needs_minisign
def test_a_key_of_minisign_signs_here(tmp_path: Path) -> None:
    content = tmp_path / "bundle.json"
    content.write_bytes(CONTENT)
    made = run("-G", "-W", "-p", tmp_path / "a.pub", "-s", tmp_path / "a.key")
    assert made.returncode == 0, made.stderr
    key = read_secret(tmp_path / "a.key", no_password)
    assert read_public_file(tmp_path / "a.pub") == (key.public,)
    (tmp_path / "bundle.json.minisig").write_text(key.sign(CONTENT).text)
    assert run("-V", "-p", tmp_path / "a.pub", "-m", content).returncode == 0


def test_the_signature_is_ed25519_of_the_blake2b_hash() -> None:
    """As minisign's page describes it, by a library's own functions."""
    key = make_key()
    signature = key.sign(CONTENT)
    expected = SigningKey(key.seed).sign(hashlib.blake2b(CONTENT).digest()).signature
    assert signature.signature == expected
