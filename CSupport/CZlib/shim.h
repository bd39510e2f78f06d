// zlib, as Debian's zlib1g-dev installs it.
#ifndef FIRSTLIGHT_ZLIB_H
#define FIRSTLIGHT_ZLIB_H
#include <zlib.h>
#endif
