"""Trains, writes as int8 and measures models: `python -m models.training TASK`.

The trainings need the extra `[train]`; `head`, `examples`, `talk` and `acoustic` need only the
daemon's packages.
"""

from __future__ import annotations

import logging
import sys

USAGE = """usage: python -m models.training TASK
  intent         the intent encoder that ships
  intent-check   the same without a fifth of CLINC150's intents, to measure generality
  ner            the NER model that ships
  reader         the encoder and reader of documents that ships
  adapter        a small update of the NER model, beside a full training
  generator      the generator that ships
  benchmark SET  snips, atis or conll: figures only
  head           the head that ships, fitted to the built-in skills and a home
  examples       our sentences embedded by the intent encoder, as they ship
  embedding      the speech embedding of enrolled wake words that ships
  acoustic       the map of the acoustic model that ships
  talk           talk in synthetic voices, embedded by it, as it ships"""


def main(arguments: list[str]) -> None:
    """Run the named task; a training that was interrupted continues from its last checkpoint."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if arguments == ["examples"]:
        from models.training import examples

        examples.build()
    elif arguments == ["head"]:
        from models.training import examples

        examples.build_head()
    elif arguments == ["acoustic"]:
        from models.training import acoustic

        acoustic.build()
    elif arguments == ["talk"]:
        from models.training import talk

        talk.build()
    elif arguments == ["embedding"]:
        from models.training import embedding

        embedding.run()
    elif arguments == ["adapter"]:
        from models.training import adapting

        adapting.run()
    elif arguments == ["generator"]:
        from models.training import speaking

        speaking.run()
    elif arguments in (["intent"], ["intent-check"], ["ner"], ["reader"]) or arguments[:1] == [
        "benchmark"
    ]:
        from models.training import tasks

        tasks.run(arguments)
    else:
        sys.exit(USAGE)


main(sys.argv[1:])
