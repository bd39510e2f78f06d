#!/usr/bin/env python3
"""Compares functions with and without the kernel's probe, each with another first instruction.

probe_instructions.py: names those that leave other registers, flags, vector registers or memory, or
raise another signal, while `record --attach` watches them; exit 1 if there are any. A new kernel may
run others wrongly. Needs x86-64 with AVX-512, gcc and the rights to attach. Environment: FIRSTLIGHT
(default .build/release/firstlight).
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

FIRSTLIGHT = os.environ.get("FIRSTLIGHT", ".build/release/firstlight")
FOLDER = pathlib.Path(__file__).parent / "attach"
DATA = """.data
.globl word2, area
.balign 64
word: .quad 0x0123456789abcdef
word2: .quad 0
mx: .long 0x1f80
cw: .word 0x37f
.balign 64
pair: .quad 1, 2, 3, 4, 5, 6, 7, 8
.balign 64
area: .zero 4096
.section .note.GNU-stack, "", @progbits
.text
"""


def assembly(instructions):
    text = DATA
    for name, code in instructions:
        text += f".balign 64\n.globl f_{name}\n.type f_{name}, @function\n"
        text += f"f_{name}: {code}\n jmp capture\n.size f_{name}, . - f_{name}\n"
    text += ".data\n.balign 8\n.globl functions\nfunctions:\n"
    text += "".join(f".quad n_{name}, f_{name}\n" for name, _ in instructions)
    text += ".quad 0, 0\n"
    return text + "".join(f'n_{name}: .asciz "{name}"\n' for name, _ in instructions)


def round_of(program):
    program.stdin.write("\n")
    program.stdin.flush()
    return set(program.stdout.readline().split()) - {"done"}


def main():
    lines = (FOLDER / "instructions.txt").read_text().splitlines()
    instructions = [line.split(": ", 1) for line in lines if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        source, program = f"{folder}/functions.s", f"{folder}/program"
        pathlib.Path(source).write_text(assembly(instructions))
        subprocess.run(
            ["gcc", "-O1", "-no-pie", FOLDER / "instructions.c", source, "-o", program],
            check=True,
        )
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        watched = subprocess.Popen([program], **pipes)
        assert watched.stdout.readline() == "ready\n"
        unstable = round_of(watched)
        recorder = subprocess.Popen(
            [FIRSTLIGHT, "record", "--attach", str(watched.pid), "-o", f"{folder}/window.flp"],
            stderr=subprocess.PIPE,
            text=True,
        )
        for line in recorder.stderr:
            if "watching " in line:
                break
        wrong = round_of(watched) - unstable
        recorder.send_signal(signal.SIGINT)
        recorder.communicate()
        after = round_of(watched) - unstable
        watched.stdin.close()
        watched.wait()
    print(f"{len(instructions)} functions")
    for text, names in [
        ("from call to call", unstable),
        ("while watched", wrong),
        ("after the watch", after),
    ]:
        print(f"differ {text}: {' '.join(sorted(names)) or 'none'}")
    sys.exit(1 if wrong or after else 0)


main()
