"""Measures an adapter on homes that were held out.

A rewrite is right when it equals the plain sentences word for word; more of them mean the same.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from assistant.core.causal import gguf, graph, low_rank
from assistant.core.causal.decoder import Decoder
from assistant.core.models.session import session_of_bytes
from models.training.understanding.pairs import households
from nlu.rewriter import prompt
from nlu.rewriter.rewriter import Rewriter

_SURE = -1.0
"""The log-probability from which on rewrites are counted apart."""


def main() -> None:
    """Write a line for each utterance, and the shares at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("rows", type=Path, help="file of the rewrites")
    parser.add_argument("homes", nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    model = gguf.read(given.gguf)
    made = graph.graph(model, low_rank.read(given.adapter.read_bytes()))
    decoder = Decoder(session_of_bytes(made, str(given.gguf), given.threads, providers=()))
    rows = []
    with given.rows.open("w", encoding="utf-8") as file:
        for household in households():
            if household.name not in given.homes:
                continue
            rewriter = Rewriter(decoder, model.tokenizer, household.home)
            for conversation in household.conversations:
                before: list[prompt.Turn] = []
                for place, turn in enumerate(conversation.turns):
                    rewrite = rewriter(turn.said, conversation.area, conversation.at, before)
                    before.append(prompt.Turn(turn.said, rewrite.plain))
                    row = {
                        "home": household.name,
                        "conv": conversation.key,
                        "i": place,
                        "say": turn.said,
                        "plain": turn.plain.lower(),
                        "rewrite": rewrite.plain,
                        "likelihoods": [round(one, 4) for one in rewrite.likelihoods],
                        "likelihood": round(rewrite.likelihood, 3),
                    }
                    rows.append(row)
                    file.write(json.dumps(row) + "\n")
                    file.flush()
    right = [row["plain"] == row["rewrite"] for row in rows]
    sure = [fits for row, fits in zip(rows, right, strict=True) if row["likelihood"] > _SURE]
    print(f"right {sum(right) / len(right):.3f} of {len(right)}")  # noqa: T201
    print(f"sure  {sum(sure) / max(1, len(sure)):.3f} of {len(sure)}")  # noqa: T201


if __name__ == "__main__":
    main()
