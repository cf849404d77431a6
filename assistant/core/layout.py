"""Names that several packages share: processes, sockets, files, and modules run by name."""

MEMBERS = ("control", "audio", "asr", "nlu", "skills", "answer", "voice")
"""The daemon's processes that always run; the bridge is a service of its own."""

# ── in the runtime folder ───────────────────────────────────────────────────────────────────
CONTROL_SOCKET = "control.sock"
NETWORK_SOCKET = "network.sock"
"""Where the bridge serves the network to skills."""
TRIAL_MARKERS = {"nlu": "model-on-trial", "answer": "answer-on-trial"}
"""Stage → a file whose presence says that a version on trial is at work, or ended the process while
it was."""

# ── in both the runtime and the state folder ────────────────────────────────────────────────
MUTED_FILE = "muted"
"""Its presence mutes the assistant."""

# ── in the state folder ─────────────────────────────────────────────────────────────────────
STATE_FILE = "state.db"
"""State that the skills store, such as timers."""
HEARD_FILE = "heard"
"""Record of the replies played so far, of those that may be played once only."""
VOLUME_FILE = "volume"
"""How loud the assistant speaks, in percent, as the player reads it."""
BACKUPS_FOLDER = "backups"
"""Folder of the backups that were asked for by voice."""
CALENDAR_FILE = "calendar.ics"
"""Calendar that is changed by voice."""
NAMES_FILE = "names.json"
"""Names that users gave, such as those of routines, and those of music, for the recogniser."""
QUARANTINE_FILE = "quarantine.json"
"""How often each skill of others failed."""
PIN_FILE = "pin"
"""Hash of the spoken PIN."""
PAIRING_FOLDER = "pairing"
"""Folder of this device's key, and of the certificates of the Harks that it is paired with."""
DESCRIBED_HOME_FILE = "home-assistant.json"
"""The home as the bridge described it last; JSON is YAML, too."""
METRICS_FILE = "metrics.jsonl"
TRACES_FOLDER = "traces"
"""Folder of where the time of the last utterances went; no words."""
HUB_TRACES_FOLDER = "hub-traces"
"""The same of the calls of a hub: one process alone writes such a folder."""
SKILLS_FOLDER = "skills"
"""Folder of the skills of others that were installed, each in a folder of its name, and of the
files of the tables of all skills."""
SKILLS_LOCK = f"{SKILLS_FOLDER}/.lock"
"""Held by who changes what lies there."""
RECORDINGS_FOLDER = "recordings"
"""Folder of what was said, kept with the user's consent."""
SENSORS_FILE = "sensors.db"
"""Database of what was learnt of the sensors, and of what was wrong with them."""
KNOWLEDGE_FILE = "knowledge.db"
"""Database of the user's documents."""
VECTORS_FILE = "knowledge.faiss"
"""Index of the vectors of the database's passages."""
BASELINE_FILE = "answers.json"
"""Record of how good answers have been, to notice when they get worse."""
UNDERSTANDING_FILE = "understanding.json"
"""Record of how well was understood what the models guess at, to notice when that gets worse."""
VOCABULARY_FILES = {"asr": "vocabulary-asr.json", "nlu": "vocabulary-nlu.json"}
"""Process → the names that it began with, in the state folder."""
TRIALS_FILES = {"nlu": "model-trials.json", "answer": "answer-trials.json"}
"""Stage → the record of the versions of its models that were tried; no words."""

HUB_TRIALS_FILE = "hub-trials.json"
"""The same of a hub, of all its stages."""

# ── processes that others name ──────────────────────────────────────────────────────────────
ASR = "asr"
"""The process of recognition."""
SENSORS = "sensors"
"""The process that judges what sensors show; it runs where the settings name their file."""
ROOMS = "rooms"
"""The service that speaks with whoever is let in over the network; no process of the daemon."""

# ── intents that other packages than their skill's know ─────────────────────────────────────
MARK_WRONG = "MarkWrong"
"""The intent by which the user says that the last thing was wrong."""
UNDO = "Undo"
"""The intent by which the user takes the last thing back."""
MUTE = "MuteMicrophone"
"""The intent by which the user has the microphone closed."""
CLOCK_IS_RIGHT = "ClockIsRight"
"""The intent by which the user says that the clock shows the right time."""

# ── what a process tells of itself ──────────────────────────────────────────────────────────
MUTED = "muted"
"""Detail of the audio process's beat while no microphone is open because of the mute switch."""

# ── modules named, not imported: the module that names one must not load its dependencies ───
PROCESSES = "assistant.serving.processes"
SERVE = f"{PROCESSES}:serve"
KEEP_SHARED = "assistant.core.models.shared:keep_shared"
COMPOSITION = "assistant.composition"
THREADS = "assistant.serving.threads"
DAEMON = "assistant.supervision.daemon"
ZYGOTE = "assistant.supervision.zygote"
SKILL_SERVER = "skills.isolation.server"
PARSER_PROCESS = "assistant.answer.ingest.parser_process"
CONVERTER = "assistant.core.causal"
PARSE = "assistant.answer.ingest.formats.select:parse"
COMMAND_LINE = "assistant.cli"
