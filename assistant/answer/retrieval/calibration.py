"""The numbers that decide whether the reading network is trusted; read with it."""

from __future__ import annotations

import msgspec


class ReaderCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weights beside the network's own scores, and the threshold from which a sentence answers.

    Those of retrieval and ordering were chosen on XQuAD with `assistant eval answers`, where small
    changes make little difference; those from `certain_shared` on with `assistant eval questions`
    on 110 questions about 8 household documents (`tests/data/answers/dev`), and held against XQuAD.
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
    certain_shared: float
    """Weight of the share of the question's rare words in the certainty."""
    open_meaning: float
    """Weight of the cosine in the certainty where a question asks for no kind of thing: "what does
    the policy say", "is it allowed". This one and the three below were fitted by logistic
    regression to 70 such questions of the dev parts, of XQuAD, and of talk not meant for it."""
    open_shared: float
    """Weight of the share of rare words in it."""
    open_lacks: float
    """Share of what a sentence loses for what it lacks that counts in it."""
    open_certain: float
    """Certainty from which a sentence answers such a question; it is told as `certain`. At 18.5, of
    24 answers of the dev parts 22 are kept, and of 5 wrong ones 1."""
    lacks_kind: float
    """Certainty that a sentence loses which holds nothing of the kind asked for: no number where a
    question begins with "how much"."""
    lacks_named: float
    """The same for a sentence that is said with none of what the question names; a part of it for
    one of several words."""
    lacks_exact: float
    """The same for a sentence without a number, room, relative, month or day that is named."""
    named_before: float
    """The same, in place of the two above, where an earlier sentence of the passage names it."""
    told_by_form: float
    """Certainty that a sentence gains whose form shows that it answers: a row with the label that
    is named."""
    told_as_fact: float
    """The same for a short item that tells the kind asked for and says what is named."""
    told_alone: float
    """The same for the only one of the kind asked for, such as an amount, in the document that was
    spoken of before, where the question names nothing else."""
    outdone: float
    """Certainty that an item of a list loses where another one says all that the question names."""
    alike: float
    """Cosine of two words from which one is understood as the other."""
    certain: float
    """Certainty from which a sentence is an answer. At 5 and at 6, 9 % and 11 % of XQuAD's
    questions are declined, and 96 % and 97 % once their article is gone."""
