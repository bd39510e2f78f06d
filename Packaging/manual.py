"""Writes man pages of a command and its subcommands: manual.py SECTION VERSION DATE PROGRAM FOLDER [COMMAND]

Everything comes from the command itself: its --experimental-dump-help, and the usage lines of its
help. A discussion's lines that begin with two spaces are examples or tables and stay as they are.
"""

import json
import os
import subprocess
import sys

# A COMMAND of firstlight that another program carries out.
section, version, date, program, folder, *command = sys.argv[1:]


def output(*arguments):
    # The help is as wide as the terminal; its usage lines are broken by hand.
    environment = dict(os.environ, COLUMNS="80")
    return subprocess.run(
        [program, *arguments], stdout=subprocess.PIPE, check=True, text=True, env=environment
    ).stdout


def escaped(text):
    """Text as roff takes it: ASCII signs stay as they are, and no line begins a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.split("\n"))


def sentences(text):
    """Text with a line for each sentence, as roff wants it."""
    return escaped(text.strip().replace(". ", ".\n").replace("`", ""))


def paragraphs(text):
    for block in text.strip("\n").split("\n\n"):
        shown = []
        for line in block.split("\n"):
            if line.startswith("  "):
                shown.append(line)
                continue
            yield from examples(shown)
            shown = []
            yield ".PP\n" + sentences(line)
        yield from examples(shown)


def examples(lines):
    if lines:
        indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        yield ".PP\n.RS 4\n.EX\n" + escaped("\n".join(line[indent:] for line in lines)) + "\n.EE\n.RE"


def usage(words):
    lines = output(*words, "--help").split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith("USAGE: "))
    found = [lines[start].removeprefix("USAGE: ")]
    for line in lines[start + 1 :]:
        if not line.strip():
            break
        # The first line's beginning is gone from the others' too.
        found.append(line.removeprefix("       "))
    return ".EX\n" + escaped("\n".join(found)) + "\n.EE"


def dashed(name):
    return ("-" if name["kind"] != "long" else "--") + name["name"]


def option(argument):
    value = "\\fI" + escaped(argument["valueName"]) + "\\fR" if "valueName" in argument else ""
    if argument["kind"] == "positional":
        head = value
    else:
        head = ", ".join("\\fB" + escaped(dashed(name)) + "\\fR" for name in argument["names"])
        if argument["kind"] == "option":
            head += " " + value
    text = argument.get("abstract", "")
    default = argument.get("defaultValue")
    if default and "(default" not in text:
        text += f" (default: {default})"
    return f".TP\n{head}\n{sentences(text)}"


def options(arguments):
    """Sections of arguments and options, under the titles of the help."""
    titles = []
    for argument in arguments:
        if not argument["shouldDisplay"]:
            continue
        title = "ARGUMENTS" if argument["kind"] == "positional" else "OPTIONS"
        title = argument.get("sectionTitle", title).upper()
        if title not in titles:
            titles.append(title)
            yield f".SH {title}"
            for other in arguments:
                kind = "ARGUMENTS" if other["kind"] == "positional" else "OPTIONS"
                if other["shouldDisplay"] and other.get("sectionTitle", kind).upper() == title:
                    yield option(other)


def reference(words):
    return f"\\fB{escaped('-'.join(words))}\\fR({section})"


def page(command, parents):
    words = [*parents, command["commandName"]]
    name = "-".join(words)
    commands = [other for other in command.get("subcommands", []) if other["commandName"] != "help"]
    arguments = command.get("arguments", [])
    for other in commands:
        if other["commandName"] == command.get("defaultSubcommand"):
            known = [argument.get("names") for argument in arguments]
            arguments = [a for a in other["arguments"] if a.get("names") not in known] + arguments
    text = [
        f'.TH "{escaped(name.upper())}" {section} {date} "Firstlight {version}" "Firstlight"',
        ".SH NAME",
        escaped(name) + " \\- " + escaped(command["abstract"].rstrip(".")),
        ".SH SYNOPSIS",
        usage(words[1:]),
        ".SH DESCRIPTION",
    ]
    discussion = command.get("discussion") or command["abstract"]
    # A section's heading begins its first paragraph.
    text += ["\n".join(paragraphs(discussion)).removeprefix(".PP\n")]
    text += options(arguments)
    if commands:
        text.append(".SH COMMANDS")
        text += [
            f".TP\n{reference([*words, other['commandName']])}\n{sentences(other['abstract'])}"
            for other in commands
        ]
    if parents:
        text += [".SH SEE ALSO", reference(parents)]
    if "Documentation/" in discussion:
        text += [".SH FILES", ".TP\n\\fIDocumentation/\\fR"]
        text += ["In share/doc/firstlight of the installation, such as /usr/share/doc/firstlight."]
    with open(f"{folder}/{name}.{section}", "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    for other in commands:
        page(other, words)


os.makedirs(folder, exist_ok=True)
page(
    json.loads(output(*command, "--experimental-dump-help"))["command"],
    ["firstlight"] if command else [],
)
