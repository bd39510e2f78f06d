// libelf of elfutils, as Debian's libelf-dev installs it. Only the module DebugInfo imports this.
#ifndef FIRSTLIGHT_ELFUTILS_H
#define FIRSTLIGHT_ELFUTILS_H
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#endif
