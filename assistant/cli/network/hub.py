"""`assistant hub`: the stages as a service for many rooms, and the keys of who may use it."""

from __future__ import annotations

import ipaddress
import math
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.shared.output import console
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.models.trial import FEWEST, TrialSize
from assistant.hub.tenants import Tenant, hash_of, load_tenants, new_key
from assistant.pool.scaling import ScalingPolicy

OWN = {"here": Tenant(requests_per_s=1e6, burst=1_000_000)}
"""The only tenant of a hub without a file of them, which this machine alone reaches."""
EXTRA = ("fastapi", "google", "grpc", "pydantic", "ray", "starlette", "uvicorn")
"""What the extra `hub` brings."""
ENOUGH = 2 * FEWEST
"""Requests that each version is to have, so that chance seldom leaves too few to judge by."""

app = typer.Typer(help="Serve the stages to many rooms, on Ray Serve (extra hub).")


@app.callback(invoke_without_command=True)
def hub(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 for any.", min=0, max=65_535)] = 8443,
    grpc_port: Annotated[int, typer.Option(help="Port of gRPC; 0: none.", min=0, max=65_535)] = 0,
    cert: Annotated[Path | None, typer.Option(help="Certificate for TLS, PEM.")] = None,
    key: Annotated[Path | None, typer.Option(help="Its private key, PEM.")] = None,
    tenants: Annotated[Path | None, typer.Option(help="File of who may use it.")] = None,
    replicas: Annotated[int, typer.Option(help="Workers of each stage.", min=1, max=64)] = 1,
    most_replicas: Annotated[
        int | None, typer.Option(help="As many while there is much to do.", min=1, max=64)
    ] = None,
    address: Annotated[
        str, typer.Option(help="HOST:PORT of a Ray cluster to join, in place of one of its own.")
    ] = "",
    try_share: Annotated[
        float | None,
        typer.Option(min=0.01, max=0.9, help="Share of requests that new versions of models get."),
    ] = None,
    try_requests: Annotated[
        int, typer.Option(min=1, help="How many are compared; then it takes all or goes back.")
    ] = 1_000,
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
) -> None:
    """Serve recognition, understanding and answers over HTTP, and gRPC, until SIGTERM.

    At SIGHUP the file of tenants is read again, and all workers are replaced; with --try-share, a
    model of another version is tried first. At SIGUSR2 another hub with the same arguments takes
    the place of this one.
    """
    if context.invoked_subcommand is not None:
        return
    _require_safe(host, cert, key, tenants)
    _require_token(address)
    scaling, trials = _scaling(replicas, most_replicas), _size(try_share, try_requests)
    read = partial(_tenants, tenants)
    known = read()
    settings, _ = load_config(config_files(config))
    _require_extra()
    from assistant.hub.server import Listening, run

    listening = Listening(host=host, port=port, cert=cert, key=key, rpc_port=grpc_port)
    run(settings, known, listening, scaling, _tell, read, address, trials)


@app.command("key")
def make_key(name: Annotated[str, typer.Argument(metavar="NAME", help="The tenant's.")]) -> None:
    """Print a new key, which is kept nowhere, and the line for the file of tenants."""
    made = new_key()
    _say(f"{name}'s key, shown this once: {made}")
    _say(f'in the file of tenants: [{name}] key = "{hash_of(made)}"')


def _tenants(file: Path | None) -> Mapping[str, Tenant]:
    return load_tenants(file) if file is not None else OWN


def _scaling(least: int, most: int | None) -> ScalingPolicy:
    if most is not None and most < least:
        raise InputError("hub.replicas", "--most-replicas may not be less than --replicas")
    return ScalingPolicy(least=least, most=most or least)


def _require_extra() -> None:
    try:
        import assistant.hub.server  # noqa: F401 - only whether it can be
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        remedy = "the hub needs Ray Serve and FastAPI: pip install 'hark-assistant[hub]'"
        raise InputError("hub.missing", remedy) from error


def _require_safe(host: str, cert: Path | None, key: Path | None, tenants: Path | None) -> None:
    if (cert is None) != (key is None):
        raise InputError("hub.certificate", "--cert and --key go together")
    try:
        address = ipaddress.ip_address(host)
    except ValueError as error:
        told = f"--host takes an address of this machine, such as 127.0.0.1, and not {host}"
        raise InputError("hub.address", told) from error
    if not address.is_loopback and (cert is None or tenants is None):
        told = f"at {host} others reach the hub: give --tenants, and --cert with --key"
        raise InputError("hub.open", told)


def _require_token(cluster: str) -> None:
    """Raise `InputError` for a Ray of its own that would take orders from the whole network."""
    if not cluster and os.environ.get("RAY_AUTH_MODE", "token") != "token":
        told = "RAY_AUTH_MODE is for a cluster that --address names; a hub's own Ray wants a token"
        raise InputError("hub.open", told)


def _size(share: float | None, requests: int) -> TrialSize | None:
    """How much a version is tried on; raises `InputError` where that is too little to compare."""
    if share is None:
        return None
    fewest = math.ceil(round(ENOUGH / min(share, 1 - share), 6))
    if requests < fewest:
        told = f"with a share of {share:g} at least {fewest} requests must be compared"
        raise InputError("hub.trials", f"{told}: --try-requests {fewest}")
    return TrialSize(share, requests)


def _tell(line: str) -> None:
    _say(f"hub: {line}")


def _say(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True, highlight=False)
