"""Who this Hark is to others: a private key and its own certificate, made once."""

from __future__ import annotations

import ssl
from datetime import datetime
from pathlib import Path

from assistant.core.errors import RoomsError
from assistant.pairing.private import keep_private

VALID_FROM, VALID_TO = datetime(1970, 1, 1), datetime(9999, 12, 31, 23, 59, 59)
"""No end that RFC 5280 knows of; nobody looks at them, as a board's clock may be wrong."""
UNREADABLE = (OSError, ValueError)


class Identity:
    """The key and the certificate, PEM in one file that its user alone may read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def make(self) -> None:
        """Make them where there are none; raises `RoomsError` where they cannot be kept."""
        try:
            if not self.file.exists():
                keep_private(self.file, _made())
        except OSError as error:
            raise RoomsError("pairing.identity", f"{self.file}: {error.strerror}") from error

    @property
    def certificate(self) -> bytes:
        """The certificate, DER; raises `RoomsError` where there is none to read."""
        try:
            _, begins, rest = self.file.read_text("ascii").partition("-----BEGIN CERTIFICATE-----")
            return ssl.PEM_cert_to_DER_cert(begins + rest)
        except UNREADABLE as error:
            raise RoomsError("pairing.identity", f"{self.file} holds no identity") from error


def _made() -> bytes:
    # Loaded here alone: it takes 9 MB, which a satellite has no use for afterwards.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Hark")])
    # It signs nothing else: whoever pins it trusts one certificate.
    alone = x509.BasicConstraints(ca=False, path_length=None)
    certificate = (
        x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(VALID_FROM)
        .not_valid_after(VALID_TO)
        .add_extension(alone, critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(pem, *plain) + certificate.public_bytes(pem)
