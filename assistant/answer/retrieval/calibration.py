"""By which numbers the network that reads is believed; read with it."""

from __future__ import annotations

import msgspec


class ReaderCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What counts how much beside the network's own scores, and from when on a sentence answers.

    All were chosen on XQuAD with `assistant eval answers`, where the weights are flat.
    """

    bm25_share: float
    """Weight of BM25 in retrieval, as a share of the best passage's, beside the cosine. From 0.2 to
    0.6 the right passage is first for 0.947 to 0.960 of the questions; for 0.941 by BM25 alone,
    0.891 by the cosine alone."""
    margin: float
    """A passage whose score in retrieval is lower by more than this is not read."""
    shared: float
    """Weight, in what orders sentences, of the rare words that they share with the question, a
    share of 1."""
    retrieved: float
    """The same of the passage's score in retrieval."""
    meaning: float
    """The same of the cosine of question and sentence."""
    certain_meaning: float
    """Weight of this cosine in how certain it is that there is an answer."""
    certain: float
    """Certainty from which a sentence is an answer. 8 % of XQuAD's questions are declined, and 82 %
    once their article is gone; of spoken questions about our own held-out passages 31 %, most of
    them such as name nothing, and 76 % of those that sound as if the passage told."""
