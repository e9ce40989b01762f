"""Windows as far as Linux can show it: what only POSIX has is missing, for the kit's own modules alone.

Imported first in a process of its own. The kit's modules get stand-ins of the standard ones; all other code
gets these themselves.
"""

from __future__ import annotations

import builtins
from types import ModuleType

NO_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
MISSING = {
    "os": {
        "fork", "getpgid", "getpgrp", "getsid", "getuid", "geteuid", "killpg", "mkfifo", "nice", "pidfd_open",
        "register_at_fork", "sched_getaffinity", "setpgid", "setsid", "sysconf", "uname", "wait", "waitid",
        "O_ASYNC", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "P_PID", "WEXITED", "WNOHANG",
        "WNOWAIT",
    },
    "select": {"epoll", "poll"},
    "signal": {
        "alarm", "getitimer", "pthread_kill", "pthread_sigmask", "setitimer", "ITIMER_REAL", "SIGALRM",
        "SIGBUS", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU",
        "SIGXFSZ",
    },
    "socket": {"AF_UNIX", "recv_fds", "send_fds"},
}  # fmt: skip
OTHERS = {"os": {"name": "nt"}}

_import = builtins.__import__


class Lacking(ModuleType):
    """A standard module without what Windows does not have."""

    def __init__(self, whole: ModuleType) -> None:
        super().__init__(whole.__name__)
        vars(self)["whole"] = whole

    def __getattr__(self, name: str) -> object:
        if name in MISSING[self.__name__]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on Windows")
        return OTHERS.get(self.__name__, {}).get(name) or getattr(vars(self)["whole"], name)


def _import_for(name, globals=None, locals=None, fromlist=(), level=0):  # noqa: A002  (as builtins names them)
    is_of_kit = (globals or {}).get("__name__", "").partition(".")[0] == "samplercheck"
    if not is_of_kit or level:
        return _import(name, globals, locals, fromlist, level)
    if name.partition(".")[0] in NO_MODULES:
        raise ModuleNotFoundError(f"No module named {name!r} on Windows", name=name)
    found = _import(name, globals, locals, fromlist, level)
    return Lacking(found) if name in MISSING else found


builtins.__import__ = _import_for
