// libelf and libdw (elfutils), as Debian's libelf-dev and libdw-dev install them.
// Only the module DebugInfo imports this.
#ifndef FIRSTLIGHT_ELFUTILS_H
#define FIRSTLIGHT_ELFUTILS_H
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <libelf.h>
#endif
