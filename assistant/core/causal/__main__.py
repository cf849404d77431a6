"""Makes a graph and a tokenizer: `python -m assistant.core.causal GGUF ADAPTER GRAPH TOKENIZER`.

It is a program of its own, since it needs packages and memory that nothing else does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assistant.core.causal import gguf, low_rank
from assistant.core.causal.graph import graph
from assistant.core.files import replace_file


def main(base: Path, adapter: Path, model: Path, pieces: Path) -> None:
    """Write the graph to `model` and the tokenizer to `pieces`."""
    read = gguf.read(base)
    replace_file(model, graph(read, low_rank.read(adapter.read_bytes())), 0o600, durable=False)
    replace_file(pieces, read.tokenizer.to_str().encode(), 0o600, durable=False)


if __name__ == "__main__":
    try:
        main(*map(Path, sys.argv[1:]))
    except (OSError, ValueError) as error:
        sys.exit(str(error))
