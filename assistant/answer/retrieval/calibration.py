"""The numbers that decide whether the reading network is trusted; read with it."""

from __future__ import annotations

import msgspec


class ReaderCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weights beside the network's own scores, and the threshold from which a sentence answers.

    All were chosen on XQuAD with `assistant eval answers`, where small changes make little
    difference.
    """

    bm25_share: float
    """Weight of BM25 in retrieval, as a share of the best passage's, beside the cosine. From 0.2 to
    0.6 the right passage is first for 0.947 to 0.960 of the questions; with BM25 alone for 0.941,
    with the cosine alone for 0.891."""
    margin: float
    """Most that a passage's score in retrieval may be below the best one for it to be read."""
    shared: float
    """Weight, in ordering sentences, of the share of the question's rare words that they hold."""
    retrieved: float
    """Weight, in ordering sentences, of the passage's score in retrieval."""
    meaning: float
    """Weight, in ordering sentences, of the cosine of question and sentence."""
    certain_meaning: float
    """Weight of this cosine in the certainty that there is an answer."""
    certain: float
    """Certainty from which a sentence is an answer. 8 % of XQuAD's questions are declined, and 82 %
    once their article is gone; of spoken questions about our own held-out passages 31 %, most of
    them such as name nothing, and 76 % of those that sound as if the passage told."""
