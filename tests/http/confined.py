#!/usr/bin/env python3
"""Runs a program as packaging/tilth.service confines it, as far as that can be done without systemd: its system calls,
its address families, no memory that can be written and executed, no new privileges, and, for root, another user.

Usage: confined.py USER PROGRAM ARGUMENTS
"""
import ctypes
import os
import pathlib
import pwd
import re
import struct
import subprocess
import sys

UNIT = pathlib.Path(__file__).resolve().parents[2] / "packaging/tilth.service"
NUMBERS = pathlib.Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
LOAD, AND, JUMP_IF_EQUAL, JUMP_IF_ANY, RETURN = 0x20, 0x54, 0x15, 0x45, 0x06
EPERM, EAFNOSUPPORT = 1, 97
NUMBER, ARCHITECTURE, FIRST, THIRD = 0, 4, 16, 32  # where struct seccomp_data has them
X86_64 = 0xC000003E
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
WRITE_AND_EXECUTE, EXECUTE = 6, 4


def members(group):
    """The names of the system calls in a group, and in the groups that it contains."""
    listed = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter", group], capture_output=True, text=True, check=True)
    names = [line.strip() for line in listed.stdout.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return {each for name in names for each in (members(name) if name.startswith("@") else {name})}


def settings(name):
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)


def allowed():
    names = set()
    for value in settings("SystemCallFilter"):
        for group in value.removeprefix("~").split():
            names = names - members(group) if value.startswith("~") else names | members(group)
    return names


def one(code, value, if_true=0, if_false=0):
    return struct.pack("=HBBI", code, if_true, if_false, value)


def program():
    """The filter, for the kernel's classic BPF."""
    numbers = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+)\s+(\d+)", NUMBERS.read_text())}
    names = allowed()
    text = one(LOAD, ARCHITECTURE) + one(JUMP_IF_EQUAL, X86_64, 1, 0) + one(RETURN, REFUSE | EPERM) + one(LOAD, NUMBER)
    (families,) = settings("RestrictAddressFamilies")
    checked = {"mmap": one(LOAD, THIRD) + one(AND, WRITE_AND_EXECUTE) + one(JUMP_IF_EQUAL, WRITE_AND_EXECUTE, 0, 1) +
               one(RETURN, REFUSE | EPERM) + one(RETURN, ALLOW),
               "socket": one(LOAD, FIRST) + b"".join(one(JUMP_IF_EQUAL, FAMILIES[name], 0, 1) + one(RETURN, ALLOW)
                                                     for name in families.split()) +
               one(RETURN, REFUSE | EAFNOSUPPORT)}
    checked["mprotect"] = checked["pkey_mprotect"] = (
        one(LOAD, THIRD) + one(JUMP_IF_ANY, EXECUTE, 0, 1) + one(RETURN, REFUSE | EPERM) + one(RETURN, ALLOW))
    assert settings("MemoryDenyWriteExecute") == ["yes"]
    for name in names & numbers.keys():
        then = checked.get(name, one(RETURN, ALLOW))
        text += one(JUMP_IF_EQUAL, numbers[name], 0, len(then) // 8) + then
    return text + one(RETURN, REFUSE | EPERM)


def confine(user):
    text = program()
    code = ctypes.create_string_buffer(text, len(text))
    sock_fprog = ctypes.create_string_buffer(struct.pack("HP", len(text) // 8, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() == 0:
        account = pwd.getpwnam(user)
        os.setgroups([])
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
    assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert libc.prctl(PR_SET_SECCOMP, 2, sock_fprog) == 0, os.strerror(ctypes.get_errno())


if __name__ == "__main__":
    confine(sys.argv[1])
    os.execv(sys.argv[2], sys.argv[2:])
