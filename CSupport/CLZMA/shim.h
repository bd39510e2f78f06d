// liblzma of XZ Utils, as Debian's liblzma-dev installs it. Only the module DebugInfo imports this.
#ifndef FIRSTLIGHT_LZMA_H
#define FIRSTLIGHT_LZMA_H
#include <lzma.h>
#endif
