"""Programs in a sandbox of the Linux kernel, made by Bubblewrap (`bwrap`) without root's rights.

The program is in its own namespaces: it has no network, sees no other process, and of the file system only the
system's programs and libraries, read-only. A filter refuses system calls that start processes or threads, open sockets,
reserve memory outside the limits, inspect or mount anything, or change the permissions, owners, times or attributes of
files: `/dev/null` is the system's own, and its owner is root, as the bot is if root started it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import platform
import queue
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from carnegie_env.core.validation import printable

PYTHON = (os.path.realpath(sys.executable), "-I", "-S", "-B")  # only the standard library
RUNNER = Path(__file__).with_name("runner.py")
LONGEST_LINE = 60_000  # bytes, fewer than fit into a pipe
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives")
# The numbers of refused system calls on each machine, from the kernel's tables.
_REFUSED = {
    "x86_64": (
        0xC000003E,
        # clone, fork, vfork, socket, socketpair, ptrace, process_vm_readv, process_vm_writev, unshare, setns, mount,
        (56, 57, 58, 41, 53, 101, 310, 311, 272, 308, 165),
        # umount2, pivot_root, chroot, bpf, perf_event_open, add_key, request_key, keyctl, userfaultfd, memfd_create,
        (166, 155, 161, 321, 298, 248, 249, 250, 323, 319),
        # memfd_secret, shmget, msgget, semget, mq_open, io_uring_setup, pidfd_open, personality, kexec_load, inotify_*
        (447, 29, 68, 64, 240, 425, 434, 135, 246, 253, 294),
        # chmod, fchmod, fchmodat, fchmodat2, chown, fchown, lchown, fchownat, utime, utimes, futimesat, utimensat,
        (90, 91, 268, 452, 92, 93, 94, 260, 132, 235, 261, 280),
        # setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr, setxattrat, removexattrat,
        # file_setattr
        (188, 189, 190, 197, 198, 199, 463, 466, 469),
    ),
    "aarch64": (
        0xC00000B7,
        # clone, socket, socketpair, ptrace, process_vm_readv, process_vm_writev, unshare, setns, mount,
        (220, 198, 199, 117, 270, 271, 97, 268, 40),
        # umount2, pivot_root, chroot, bpf, perf_event_open, add_key, request_key, keyctl, userfaultfd, memfd_create,
        (39, 41, 51, 280, 241, 217, 218, 219, 282, 279),
        # memfd_secret, shmget, msgget, semget, mq_open, io_uring_setup, pidfd_open, personality, kexec_load, inotify_*
        (447, 194, 186, 190, 180, 425, 434, 92, 104, 26),
        # fchmod, fchmodat, fchmodat2, fchownat, fchown, utimensat,
        (52, 53, 452, 54, 55, 88),
        # setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr, setxattrat, removexattrat,
        # file_setattr
        (5, 6, 7, 14, 15, 16, 463, 466, 469),
    ),
}
_CLONE3 = 435  # on every machine; answered with "unknown", so that libraries try clone
_X32 = 0x40000000  # system calls of a second interface on x86_64
_EPERM, _ENOSYS = 1, 38
_KILL, _ERROR, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000  # SECCOMP_RET_*


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of a bot.

    Args:
        seconds: for a decision; the first one includes the start of the bot and may take ``START`` longer.
        cpu: seconds of processor time for each process, which plays one seat of one game.
        memory: MB of address space.
    """

    seconds: float = 1.0
    cpu: int = 60
    memory: int = 512


START = 10.0  # s


class BotError(ValueError):
    """A bot that ended, exceeded a limit, or answered with anything but one line of JSON."""

    def __init__(self, text: str) -> None:
        super().__init__(printable(text))  # it may quote the bot


def check(file: Path) -> None:
    """Raise a BotError if this computer has no sandbox for a bot; the message says why."""
    if why := problem():
        raise BotError(
            f"{file} needs a sandbox, which this computer lacks: {why}. Add `,trusted=yes` to run a bot that you trust "
            "without a sandbox, with all of your rights (docs/bots.md)"
        )


def problem() -> str:
    """The reason why bots can't be sandboxed here, or ""."""
    if not sys.platform.startswith("linux"):
        return f"it needs the Linux kernel, and this is {platform.system()}"
    if platform.machine() not in _REFUSED:
        return f"it is made for {' and '.join(_REFUSED)}, not for {platform.machine()}"
    if shutil.which("bwrap") is None:
        return "Bubblewrap is missing (Debian, Ubuntu: apt install bubblewrap)"
    return _refusal()


@functools.cache
def _refusal() -> str:
    """The reason why the kernel does not allow a sandbox, or ""."""
    with _filter() as seccomp:
        done = subprocess.run(
            [*_bwrap(seccomp.fileno()), *PYTHON, "-c", ""],
            pass_fds=[seccomp.fileno()], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    return "" if done.returncode == 0 else f"bwrap fails with {done.stderr.strip()[:200]!r}"


def _filter() -> Any:
    """An open file with the filter of system calls, a classic BPF program."""
    architecture, *refused = _REFUSED[platform.machine()]
    calls = [number for part in refused for number in part]

    def one(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
        return struct.pack("=HBBI", code, then, otherwise, value)

    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    program = [one(load, 4), one(equal, architecture, 1, 0), one(answer, _KILL), one(load, 0)]
    program += [one(at_least, _X32, 0, 1), one(answer, _KILL)]
    program += [one(equal, _CLONE3, 0, 1), one(answer, _ERROR | _ENOSYS)]
    for number in calls:
        program += [one(equal, number, 0, 1), one(answer, _ERROR | _EPERM)]
    program.append(one(answer, _ALLOW))
    file = tempfile.TemporaryFile()
    file.write(b"".join(program))
    file.seek(0)
    return file


def _bwrap(seccomp: int) -> list[str]:
    """The command that makes a sandbox, without the program."""
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    options += ["--uid", "65534", "--gid", "65534", "--hostname", "bot", "--seccomp", str(seccomp)]
    for path in SYSTEM:
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
        else:
            options += ["--ro-bind-try", path, path]
    prefix = os.path.realpath(sys.base_prefix)
    for folder in dict.fromkeys([prefix, os.path.dirname(PYTHON[0])]):
        if not f"{folder}/".startswith("/usr/"):
            options += ["--ro-bind", folder, folder]
    options += ["--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/urandom", "/dev/urandom"]
    bwrap = shutil.which("bwrap")
    assert bwrap is not None
    return [bwrap, *options]


_commands: dict[int, queue.SimpleQueue[tuple[list[str], list[int], Future[subprocess.Popen[bytes]]]]] = {}


def _started(command: list[str], fds: list[int]) -> subprocess.Popen[bytes]:
    """Start a program in a thread that lasts, because a sandbox ends with the thread that started it."""
    key = os.getpid()  # a thread does not survive a fork
    if key not in _commands:
        commands: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=_start_all, args=(commands,), name="bots", daemon=True).start()
        _commands[key] = commands
    started: Future[subprocess.Popen[bytes]] = Future()
    _commands[key].put((command, fds, started))
    return started.result()


def _start_all(commands: queue.SimpleQueue[Any]) -> None:
    while True:
        command, fds, started = commands.get()
        try:
            started.set_result(subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, pass_fds=fds,
                bufsize=0, start_new_session=True,
            ))  # fmt: skip
        except BaseException as error:
            started.set_exception(error)


class Process:
    """A bot's process. It answers each line of JSON with a line of JSON.

    Args:
        file: the bot.
        limits: see :class:`Limits`.
        trusted: run it without a sandbox; only the limit of a decision's time remains. Else call :func:`check` before.
    """

    def __init__(self, file: Path, limits: Limits, trusted: bool = False) -> None:
        self._limits, self._left = limits, b""
        self._seconds = limits.seconds + START
        numbers = [str(limits.cpu), str(limits.memory)]
        with contextlib.ExitStack() as stack:
            fds: list[int] = []
            if trusted:
                command = [*PYTHON, str(RUNNER), str(file.resolve()), "0", "0"]
            else:
                seccomp = stack.enter_context(_filter())
                fds = [seccomp.fileno()]
                inside = f"/bot/{'bot.py' if file.suffix == '.py' else 'bot'}"
                command = _bwrap(seccomp.fileno())
                command += ["--ro-bind", str(RUNNER), "/bot/runner.py", "--ro-bind", str(file.resolve()), inside]
                command += ["--remount-ro", "/", "--chdir", "/", *PYTHON, "/bot/runner.py", inside, *numbers]
            self._process = _started(command, fds)
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)  # the bot may not read

    def ask(self, line: bytes) -> bytes:
        """Send a line and return the answer; a BotError ends the process."""
        try:
            answer = self._ask(line, time.monotonic() + self._seconds)
        except BotError:
            self.end()
            raise
        self._seconds = self._limits.seconds
        return answer

    def _ask(self, line: bytes, until: float) -> bytes:
        if len(line) >= LONGEST_LINE:
            raise BotError(f"the question has {len(line)} bytes, more than fit")
        assert self._process.stdin is not None and self._process.stdout is not None
        if self._left:
            raise BotError("it wrote more than one line for an answer")
        rest = line + b"\n"
        while rest:
            self._wait([], [self._process.stdin], until)
            try:
                rest = rest[os.write(self._process.stdin.fileno(), rest) :]
            except BlockingIOError:  # the bot has just shortened the pipe
                continue
            except OSError:
                raise BotError(self._death()) from None
        while b"\n" not in self._left:
            self._wait([self._process.stdout], [], until)
            read = os.read(self._process.stdout.fileno(), LONGEST_LINE)
            if not read:
                raise BotError(self._death())
            self._left += read
            if len(self._left) > LONGEST_LINE:
                raise BotError(f"it answered with more than {LONGEST_LINE} bytes")
        answer, _, self._left = self._left.partition(b"\n")
        return answer

    def _wait(self, readable: list[Any], writable: list[Any], until: float) -> None:
        wait = until - time.monotonic()
        if wait <= 0 or not any(select.select(readable, writable, [], wait)):
            raise BotError(f"it took longer than {self._seconds:g} s")

    def _death(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        code = self._process.returncode
        return f"its process ended{'' if code is None else f' with {code}'}: it has no answer, or exceeded a limit"

    def end(self) -> None:
        """End the process and everything in its sandbox."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, 9)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.end()
