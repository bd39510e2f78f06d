// libelf and libdw of elfutils, as Debian's libdw-dev installs them. Only the module DebugInfo
// imports this.
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
