// The C library that the program is linked with: glibc or musl. The runtime's archive is built once
// for both. So it finds out at run time, and calls only functions that both have.
#ifndef FL_LIBC_H
#define FL_LIBC_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"

/// The function that glibc's pthread_atfork calls; musl does not have it.
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *image) __attribute__((weak));

/// From linux/futex.h and linux/fs.h, which are not part of musl.
enum {
  FL_FUTEX_WAIT = 0 | 128,  // 128: within this process
  FL_FUTEX_WAKE = 1 | 128,
  FL_WRITE_NOWAIT = 8,
};

FL_LOCAL inline bool fl_is_glibc(void) { return __register_atfork != NULL; }

#endif
