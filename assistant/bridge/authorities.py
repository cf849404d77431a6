"""Whose certificates are trusted, and what is said of those that are not."""

from __future__ import annotations

import ssl
from pathlib import Path

from assistant.core.errors import ConfigError

NAME_MISMATCH = (62, 64)
"""X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH of OpenSSL."""
OUT_OF_DATE = (9, 10)
"""X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""


def refusal(error: ssl.SSLCertVerificationError, authority: str, address: str = "") -> str:
    """What is wrong with a server's certificate, and what to do.

    `authority` and `address` are the settings of whom is trusted and of where the server is.
    """
    remedy = f"see {authority}"
    if error.verify_code in NAME_MISMATCH and address:
        remedy = f"set {address} to a name that it holds"
    elif error.verify_code in OUT_OF_DATE:
        remedy = "renew it, or set this device's clock"
    return f"its certificate is refused: {error.verify_message.rstrip('.')}; {remedy}"


def trusting(ca_file: str, setting: str) -> ssl.SSLContext:
    """A context that trusts the system's authorities, and those of a file where one is named.

    Raises `ConfigError`, which names the `setting`, for a file without certificates.
    """
    context = ssl.create_default_context()
    if ca_file:
        file = Path(ca_file).expanduser()
        try:
            context.load_verify_locations(file)
        except OSError as error:
            message = f"{setting}: {file} holds no certificates in PEM: {error}"
            raise ConfigError("bridge.ca_file", message) from error
    return context
