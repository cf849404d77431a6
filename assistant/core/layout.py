"""Names that several rooms share: processes, sockets, files, and modules that are run by name."""

MEMBERS = ("control", "audio", "asr", "nlu", "skills", "answer", "voice")
"""The daemon's processes; the bridge is a service of its own."""

# ── in the runtime folder ───────────────────────────────────────────────────────────────────
CONTROL_SOCKET = "control.sock"

# ── in the state folder ─────────────────────────────────────────────────────────────────────
STATE_FILE = "state.db"
"""What the skills promise to keep."""
HEARD_FILE = "heard"
"""Which replies have been played, of those that may be played once only."""
METRICS_FILE = "metrics.jsonl"
KNOWLEDGE_FILE = "knowledge.db"
"""What the user's documents say."""
VECTORS_FILE = "knowledge.faiss"
"""The index of its passages' vectors."""
BASELINE_FILE = "answers.json"
"""What answers were like, by which it is told when they get worse."""

# ── modules named, not imported: their importers must not load what they load ───────────────
PROCESSES = "assistant.serving.processes"
SERVE = f"{PROCESSES}:serve"
KEEP_TABLES = "assistant.core.models.shared:keep_tables"
THREADS = "assistant.serving.threads"
ZYGOTE = "assistant.supervision.zygote"
PARSER_PROCESS = "assistant.answer.ingest.parser_process"
PARSE = "assistant.answer.ingest.formats.select:parse"
COMMAND_LINE = "assistant.cli"
