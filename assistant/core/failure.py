"""What a fault becomes: a line in the log, and the message of which an apology is made."""

from __future__ import annotations

import logging
import traceback

from assistant.core.errors import AssistantError
from assistant.core.messages import StageFailed

log = logging.getLogger(__name__)


def failed(stage: str, error: Exception, utterance_id: str = "") -> StageFailed:
    """Log `error`, which `stage` met, and tell of it; `utterance_id` of what, "" for nothing."""
    code = error.code if isinstance(error, AssistantError) else f"{stage}.internal"
    # Another library's exception text may quote the user, so only its type is told.
    what = error.message if isinstance(error, AssistantError) else type(error).__name__
    where = "".join(traceback.format_tb(error.__traceback__)[-4:])
    log.error("%s: %s (%s) utterance=%s\n%s", stage, what, code, utterance_id, where)
    part = getattr(error, "part", "")
    return StageFailed(stage=stage, code=code, message=what, part=part, utterance_id=utterance_id)
