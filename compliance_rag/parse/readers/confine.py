"""What a process that reads hostile files may not do: write, open a connection, start a program, read what is none of its
business. Linux only; each means is applied where the kernel has it, and :class:`Held` says which.

Resource limits hold on every Unix. Seccomp (kernel 3.17, x86-64 and AArch64) refuses sockets, new processes and every call that
changes a file, whatever else the kernel lacks. Landlock (kernel 5.13) also confines reading to the interpreter's own folders.
Where there is no seccomp an audit hook refuses the same to Python code, but not to a library in C.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass

# A source has at most 200 MB and is held several times over; three gigabytes of address space leave room for libraries too.
MAX_MEMORY_BYTES = 3 << 30
# Twice what the longest rules in print take; wall-clock time is the parent's to watch.
MAX_CPU_SECONDS = 600
# Modules are opened while they are imported, one or two at a time.
MAX_OPEN_FILES = 64
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _SET_PDEATHSIG, _FILTER = 38, 22, 1, 2
_SIGKILL = 9
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH, _ARGS = 0, 4, 16
_X32 = 0x40000000
_CLONE_THREAD = 0x10000
_WRITES = 0o3 | os.O_CREAT | os.O_TRUNC
_LANDLOCK_CREATE, _LANDLOCK_RULE, _LANDLOCK_RESTRICT = 444, 445, 446
_READS = 0b1101  # execute, read a file, read a folder
_READS_FILE = 0b0101
# Rights that each version of Landlock knows: 13 at first, then refer, truncate, device control.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_RIGHTS_NEWEST = 16
_NETWORK_SINCE = 4
# Read-only places a library may look at while it works.
_SYSTEM = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/share/fonts", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class _Calls:
    """System call numbers of one machine."""

    arch: int
    denied: tuple[int, ...]
    missing: tuple[int, ...]
    clone: int
    open: tuple[tuple[int, int], ...]


_NEW = (425, 435, 437)  # io_uring_setup, clone3, openat2: "no such call", so that the C library falls back
_MACHINES = {
    "x86_64": _Calls(
        0xC000003E,
        (
            41, 42, 43, 49, 50, 53, 44, 46, 288,  # socket connect accept bind listen socketpair sendto sendmsg accept4
            57, 58, 59, 322, 62, 101, 310, 311, 424, 438, 321, 323,  # fork vfork execve execveat kill ptrace … bpf
            76, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 133, 165, 166,  # truncate rename mkdir … chown mknod mount
            188, 189, 190, 197, 198, 199, 258, 259, 260, 263, 264, 265, 266, 268, 280, 316, 452,  # xattr and the *at calls
        ),
        _NEW, 56, ((2, 1), (257, 2)),
    ),
    "aarch64": _Calls(
        0xC00000B7,
        (
            198, 199, 200, 201, 202, 203, 206, 211, 242,
            221, 281, 129, 117, 270, 271, 424, 438, 280, 282,
            45, 33, 34, 35, 36, 37, 38, 276, 52, 53, 54, 55, 40, 39,
            5, 6, 7, 14, 15, 16, 88, 452,
        ),
        _NEW, 220, ((56, 2),),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    """What is in force: ``landlock`` the version of it, 0 for none."""

    limits: bool
    seccomp: bool
    landlock: int
    audit_hook: bool

    def as_json(self) -> dict[str, bool | int]:
        """As a plain object."""
        return asdict(self)


def limit_files() -> None:
    """No file may grow, few may be open, none is dumped."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES, MAX_OPEN_FILES))


def limit_work(memory: int = MAX_MEMORY_BYTES, seconds: int = MAX_CPU_SECONDS) -> None:
    """Bound the address space and the processor time of this process, which ends when its parent does."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # SIGXCPU at the first, SIGKILL at the second
    if sys.platform == "linux":
        _libc().prctl(_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _filter(calls: _Calls) -> list[tuple[int, int, int, int]]:
    """The seccomp program: instructions ``(code, jump if true, jump if false, value)``."""
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    program = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, calls.arch), refuse, (_LOAD, 0, 0, _NR), (_AT_LEAST, 0, 1, _X32), refuse]
    for number in calls.denied:
        program += [(_EQUAL, 0, 1, number), refuse]
    for number in calls.missing:
        program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    allow = (_RETURN, 0, 0, _ALLOW)
    program += [(_EQUAL, 0, 4, calls.clone), (_LOAD, 0, 0, _ARGS), (_ANY_BIT, 1, 0, _CLONE_THREAD), refuse, allow]
    for number, argument in calls.open:
        program += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, _ARGS + 8 * argument), (_ANY_BIT, 0, 1, _WRITES), refuse, allow]
    return [*program, allow]


def forbid_calls() -> bool:
    """Seccomp: no sockets, no new processes, no change to any file. False where the machine or the kernel has none."""
    calls = _MACHINES.get(platform.machine())
    if calls is None or sys.platform != "linux":
        return False
    code = b"".join(struct.pack("=HBBI", *step) for step in _filter(calls))
    steps = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(steps))
    libc = _libc()
    if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_SET_SECCOMP, _FILTER, ctypes.create_string_buffer(program, len(program)), 0, 0) == 0)


def forbid_files(readable: Iterable[str]) -> int:
    """Landlock: reading only beneath ``readable`` and what the system's libraries need, writing nowhere, no TCP. Gives the
    version of Landlock that is in force, 0 for none."""
    libc = _libc()
    version = int(libc.syscall(_LANDLOCK_CREATE, None, 0, 1)) if sys.platform == "linux" else 0
    if version < 1:
        return 0
    rights = (1 << _RIGHTS.get(version, _RIGHTS_NEWEST)) - 1
    handled = struct.pack("=QQ", rights, 0b11) if version >= _NETWORK_SINCE else struct.pack("=Q", rights)
    rules = libc.syscall(_LANDLOCK_CREATE, ctypes.create_string_buffer(handled, len(handled)), len(handled), 0)
    if rules < 0:
        return 0
    for path in [*readable, *_SYSTEM]:
        _allow(libc, rules, path)
    done = libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and libc.syscall(_LANDLOCK_RESTRICT, rules, 0) == 0
    os.close(rules)
    return version if done else 0


def _allow(libc: ctypes.CDLL, rules: int, path: str) -> None:
    try:
        at = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rule = struct.pack("=Qi", _READS if os.path.isdir(path) else _READS_FILE, at)
    libc.syscall(_LANDLOCK_RULE, rules, 1, ctypes.create_string_buffer(rule, len(rule)), 0)
    os.close(at)


def hook_python() -> None:
    """Refuse the same to Python code, for machines without seccomp."""

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & _WRITES)
        if writes or event.startswith(("socket.", "subprocess.", "os.exec", "os.fork", "os.remove", "os.rename", "os.mkdir")):
            raise PermissionError(errno.EPERM, f"a reader may not do this: {event}")

    sys.addaudithook(refuse)
