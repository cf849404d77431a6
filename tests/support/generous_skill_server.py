"""The process that skills are forked from, with native modules that it does not load by itself."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import pwd
import resource
import select
import socket
import subprocess
import sys
import threading
from multiprocessing import shared_memory

from skills.isolation.server import main

LOADED = (ctypes, fcntl, mmap, pwd, resource, select, socket, subprocess, threading, shared_memory)

if __name__ == "__main__":
    main(sys.argv[1:])
