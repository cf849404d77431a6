"""By which numbers the two models of understanding are believed.

They are read with their model. "Development sentences" are those of `models/training/dev`, wishes
and talk, on which `python -m models.training.calibrate` measures what each number does.
"""

from __future__ import annotations

import msgspec

from assistant.core.models.calibration import Share


class IntentCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From which scores of the intent model on a command is carried out, asked about or left.

    A text is in scope when an assistant is meant. An intent's belief is its probability, a guess's
    weight that belief less what speaks against the guess.
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
    evident. Chosen on the same: with it 13 more of 267 wishes were understood and no talk more."""
    in_scope_to_ask: Share
    """In-scope score from which such a guess is asked about. Chosen on the same."""
    in_scope_of_free_text: Share
    """In-scope score, of this model alone, below which a sentence with free text in it does not
    count. Chosen by hand."""
    least_belief: Share
    """Belief below which an intent is no guess. Chosen by hand."""
    accepted: Share
    """Weight from which a guess is carried out. Chosen on the development sentences."""
    accepted_of_all: Share
    """The same for a guess that switches all of a kind in the home. Chosen by hand."""
    evident: Share
    """Weight from which a guess would be certain, were it certain that an assistant is meant.
    Chosen on the development sentences."""
    near: Share
    """Share of the best guess's weight from which on another one is as likely, and which was meant
    is asked. Chosen by hand."""
    sure_parts: Share
    """Weight from which parts of a text, joined by a word, are rather several commands than one
    that holds them all. Chosen on the development sentences."""
    left_over: Share
    """Factor on a guess's weight for a thing that the text names and the guess leaves over. Chosen
    by hand."""
    not_now: Share
    """The same where that is a time or a number and the guess acts: what is wanted later, or to a
    degree, must not be done at once and in full. Chosen by hand."""
    nearly_fixed: Share
    """Share of a belief that a form has which differs from the believed one by "all" alone. Chosen
    by hand."""
    other_fixed: Share
    """Share of a belief that a form has whose fixed slots the model does not see. Chosen by
    hand."""


class SlotCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From which confidence on what the NER model reads in a text is believed."""

    sure_span: Share
    """Confidence from which a guess must explain a span, or lose weight. Chosen by hand."""
    sure_free_text: Share
    """Confidence from which a span fills a slot of free text. Chosen by hand."""
    sure_person: Share
    """Confidence from which a question is about the person that it names. Chosen on questions
    about encyclopaedia articles: nearly all spans above it were names of people."""
    usual_log_odds: float
    """Log odds that an assistant is meant, of a command as people usually say it: these leave the
    intent model's score as it is. Chosen by hand."""
    surest_log_odds: float
    """Log odds beyond which, either way, they count no more. Chosen by hand."""
    addressed_weight: float
    """Weight of these log odds beside the intent model's. Chosen by hand."""
