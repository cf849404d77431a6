"""Ways out that a hostile skill may try: each is code that succeeds where nothing holds it.

A probe is the body of a function; it raises, or returns false, where it is refused. `FILE` is a
file of the user's, `PARENT` the process of the assistant.
"""

from __future__ import annotations

PREAMBLE = """
import ctypes, mmap, os, signal, socket, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
FILE, PARENT = {file!r}, {parent}

def called(number, *values):
    wide = [ctypes.c_long(v) if isinstance(v, int) else v for v in values]
    return libc.syscall(number, *wide) >= 0
"""

PROBES = {
    "reads_a_file": "return open(FILE).read()",
    "reads_by_descriptor": "return os.open(FILE, os.O_RDONLY) >= 0",
    "writes_a_file": "return open(FILE + '.new', 'w').write('x')",
    "appends_to_a_file": "return open(FILE, 'a').write('x')",
    "lists_a_folder": "return os.listdir('/')",
    "tells_that_a_file_is_there": "return os.path.exists(FILE)",
    "removes_a_file": "os.link(FILE, FILE + '.l'); os.unlink(FILE + '.l'); return True",
    "renames_a_file": "os.rename(FILE, FILE + '.r'); os.rename(FILE + '.r', FILE); return True",
    "links_to_a_file": "os.symlink(FILE, FILE + '.s' + str(time.time_ns())); return True",
    "makes_a_folder": "os.mkdir(FILE + '.d' + str(time.time_ns())); return True",
    "changes_a_mode": "os.chmod(FILE, 0o600); return True",
    "changes_the_folder": "os.chdir('/'); return True",
    "writes_a_pth": "return open(os.path.dirname(FILE) + '/a.pth', 'w').write('import os')",
    "reads_the_memory_of_the_assistant": "return os.open(f'/proc/{PARENT}/mem', os.O_RDONLY)",
    "reads_the_descriptors_of_the_assistant": "return os.listdir(f'/proc/{PARENT}/fd')",
    "reads_its_own_environment": "return open('/proc/self/environ').read()",
    "opens_a_database": "import sqlite3\n"
    "return sqlite3.connect(FILE + '.db').execute('PRAGMA user_version=1')",
    "attaches_a_database": "import sqlite3\n"
    "return sqlite3.connect(':memory:').execute('ATTACH ? AS o', (FILE + '.db',))",
    "opens_a_unix_socket": "return socket.socket(socket.AF_UNIX)",
    "opens_a_network_socket": "return socket.socket(socket.AF_INET)",
    "opens_a_raw_pair": "return socket.socketpair()",
    "makes_a_pipe": "return os.pipe()",
    "makes_an_anonymous_file": "return os.memfd_create('x')",
    "makes_an_io_uring": "return called(425, 4, ctypes.create_string_buffer(256))",
    "watches_with_epoll": "import select; return select.epoll()",
    "forks": "pid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0); return True",
    "starts_a_program": "return subprocess.run(['true']).returncode == 0",
    "becomes_a_program": (
        "pid = libc.syscall(57)\nif pid == 0: os.execv('/bin/true', ['true'])\nreturn pid > 0"
    ),
    "starts_a_thread": "t = threading.Thread(target=print); t.start(); t.join(); return True",
    "signals_the_assistant": "os.kill(PARENT, 0); return True",
    "signals_everybody": "os.kill(os.getppid(), 0); return True",
    "queues_a_signal": "return called(62, PARENT, 0)",
    "traces_itself": "return libc.ptrace(0, 0, 0, 0) == 0",
    "reads_another_process": (
        "b = ctypes.create_string_buffer(8); v = (ctypes.c_void_p * 2)(ctypes.addressof(b), 8)\n"
        "return called(310, os.getpid(), v, 1, v, 1, 0)"
    ),
    "opens_a_handle_of_a_process": "return os.pidfd_open(os.getpid())",
    "makes_a_namespace": "return libc.unshare(0x10000000) == 0",
    "changes_its_limits": (
        "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0)); return True"
    ),
    "changes_its_priority": "return os.nice(1) >= 0",
    "duplicates_a_descriptor": "return os.dup(2) >= 0",
    "asks_for_an_ioctl": (
        "import fcntl\nreturn fcntl.ioctl(os.open('/dev/null', 0), 0x5450) is not None"
    ),
    "takes_away_the_filter": "return libc.prctl(38, 1, 0, 0, 0) == 0",
    "names_itself": "return libc.prctl(15, b'systemd', 0, 0, 0) == 0",
    "sets_a_timer_for_a_signal": "return called(222, 0, 0, ctypes.create_string_buffer(8))",
    "watches_files": "return libc.inotify_init() >= 0",
    "loads_native_code": "return ctypes.CDLL('libflite.so.1')",
    "imports_what_is_installed": "import numpy; return True",
    "maps_a_file": "return mmap.mmap(os.open(FILE, os.O_RDONLY), 1, prot=mmap.PROT_READ)",
    "reads_who_it_is": "import pwd; return pwd.getpwuid(os.getuid()).pw_name",
    "asks_the_name_service": "return socket.gethostbyname('localhost')",
    "makes_shared_memory": "from multiprocessing import shared_memory as s\n"
    "m = s.SharedMemory(create=True, size=8); m.unlink(); return True",
    "sends_itself_a_file": "return os.sendfile(1, os.open(FILE, os.O_RDONLY), 0, 1) >= 0",
    "locks_memory": "return libc.mlockall(1) == 0",
    "opens_a_file_the_new_way": (
        "how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, 0)\n"
        "return called(437, -100, FILE.encode(), how, 24)"
    ),
    "takes_a_descriptor_of_another": "return called(438, os.pidfd_open(os.getpid()), 2, 0)",
    "forks_the_new_way": (
        "wanted = (ctypes.c_uint64 * 11)(); wanted[4] = signal.SIGCHLD\n"
        "pid = libc.syscall(435, wanted, 88)\nif pid == 0: os._exit(0)\n"
        "return pid > 0 and os.waitpid(pid, 0)[0] == pid"
    ),
    "makes_memory_of_system_v": "return libc.shmget(0, 8, 0o1600) >= 0",
    "makes_a_message_queue": "return libc.msgget(0, 0o1600) >= 0",
    "gives_a_file_away": "os.chown(FILE, os.getuid(), os.getgid()); return True",
    "empties_a_file": "open(FILE + '.t', 'w').close(); os.truncate(FILE + '.t', 0); return True",
    "reads_a_link": "return os.readlink('/proc/self/exe')",
    "signals_a_thread": "return called(234, os.getpid(), threading.get_native_id(), 0)",
    "makes_an_event_descriptor": "return os.eventfd(0) >= 0",
    "moves_to_another_processor": ("os.sched_setaffinity(0, os.sched_getaffinity(0)); return True"),
    "forges_a_message_of_the_bus": (
        "import zmq\ns = zmq.Context().socket(zmq.PUB); s.bind('ipc://' + FILE + '.bus')\n"
        "return s.send(b'mute', zmq.NOBLOCK) is None"
    ),
    "reads_the_kernels_log": "return libc.klogctl(10, None, 0) >= 0",
}
"""Name → the body of the probe."""
