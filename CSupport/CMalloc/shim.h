// mallopt(3), which Swift's module of glibc leaves out. Only FirstlightDaemon imports this.
#ifndef FIRSTLIGHT_MALLOC_H
#define FIRSTLIGHT_MALLOC_H
#include <malloc.h>
#endif
