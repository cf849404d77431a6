"""Writes the descriptor of the hub's messages over gRPC from its `.proto` files.

Run `python -m scripts.hub_messages` after a change of one of them; it needs the package
grpcio-tools, which has Protocol Buffers' compiler.
"""

from __future__ import annotations

from pathlib import Path

from grpc_tools import protoc

HUB = Path(__file__).resolve().parents[1] / "assistant" / "hub"
SOURCES = ("hub.proto", "health.proto")
DESCRIPTOR = "hub.binpb"


def compiled(to: Path) -> None:
    """Write the descriptor of all messages, and of those that they import; raises `OSError`."""
    include = Path(protoc.__file__).parent / "_proto"
    options = (f"-I{HUB}", f"-I{include}", "--include_imports", f"--descriptor_set_out={to}")
    if protoc.main(["protoc", *options, *SOURCES]) != 0:
        raise OSError("Protocol Buffers' compiler refuses the files")


if __name__ == "__main__":
    compiled(HUB / DESCRIPTOR)
