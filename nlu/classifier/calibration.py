"""Thresholds and factors for the scores of the two models of understanding.

They are read with their model. "Development sentences" are those of `models/training/dev`, commands
and talk, on which `python -m models.training.calibrate` measures what each number does.
"""

from __future__ import annotations

import msgspec

from assistant.core.models.calibration import Share


class IntentCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Scores of the intent model from which a command is carried out, asked about or ignored.

    A text is in scope when it is meant for an assistant. An intent's belief is its probability. A
    guess's weight is that belief, lowered by what speaks against the guess.
    """

    in_scope: Share
    """In-scope score below which nothing is guessed. Chosen on the development sentences."""
    in_scope_to_act: Share
    """In-scope score from which a guess may change anything. Chosen on the same."""
    in_scope_of_device: Share
    """The same for a text that names a device of the home. Chosen on the same."""
    in_scope_of_area: Share
    """The same for a text that names an area of the home. Chosen on the same."""
    in_scope_of_subject: Share
    """The same for a text that names what commands are about, such as music, where the guess is
    evident. Chosen on the same: it adds 13 of 267 commands understood, and no talk."""
    in_scope_to_ask: Share
    """In-scope score from which such a guess is asked about. Chosen on the same."""
    in_scope_of_free_text: Share
    """In-scope score, by this model alone, below which a sentence with free text is ignored.
    Chosen by hand."""
    alike: Share
    """Cosine of two texts from which a hint may mean what was said. Of 47 texts that were written
    to choose it, those that mean something else than the hint nearest to them are all below 0.6."""
    alike_in_talk: Share
    """The same of a text and an example of what is only talked about. Of 60 texts that were written
    to choose it, none that means something else is above it."""
    alike_in_free_talk: Share
    """The same for a text that also fits one of its sentences with free text. Chosen by hand."""
    least_belief: Share
    """Belief below which an intent is no guess. Chosen by hand."""
    accepted: Share
    """Weight from which a guess is carried out. Chosen on the development sentences."""
    accepted_of_all: Share
    """The same for a guess that switches all devices of a kind in the home. Chosen by hand."""
    evident: Share
    """Weight from which a guess is certain, if the text is meant for an assistant. Chosen on the
    development sentences."""
    near: Share
    """Share of the best guess's weight from which another guess counts as equally likely, and the
    user is asked which was meant. Chosen by hand."""
    sure_parts: Share
    """Weight from which parts of a text, joined by a word, count as several commands, not as one
    that holds them all. Chosen on the development sentences."""
    left_over: Share
    """Factor on a guess's weight for a thing that the text names and the guess does not use. Chosen
    by hand."""
    not_now: Share
    """The same where that thing is a time or a number and the guess acts: what is wanted later, or
    by a degree, must not be done at once and in full. Chosen by hand."""
    nearly_fixed: Share
    """Share of a belief that goes to a pattern which differs from the believed one only by "all".
    Chosen by hand."""
    other_fixed: Share
    """Share of a belief that goes to a pattern whose fixed slots the model does not see. Chosen by
    hand."""


class SlotCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Confidences from which the NER model's output is believed."""

    sure_span: Share
    """Confidence of a span from which a guess must use it, or lose weight. Chosen by hand."""
    sure_free_text: Share
    """Confidence from which a span fills a slot of free text. Chosen by hand."""
    sure_person: Share
    """Confidence from which a question is about the person that it names. Chosen on questions
    about encyclopaedia articles: nearly all spans above it were names of people."""
    usual_log_odds: float
    """Log odds that a text is meant for an assistant, for a command as people usually say it. They
    leave the intent model's score as it is. Chosen by hand."""
    surest_log_odds: float
    """Greatest log odds, positive or negative; more is cut off. Chosen by hand."""
    addressed_weight: float
    """Weight of these log odds when they are added to the intent model's. Chosen by hand."""
