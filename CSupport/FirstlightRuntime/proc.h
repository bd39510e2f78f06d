// Files of /proc.
#ifndef FL_PROC_H
#define FL_PROC_H

#include <stddef.h>

#include "attributes.h"

/// Reads at most `size` bytes of a small file. Returns their number; 0 on failure.
FL_HIDDEN size_t fl_proc_read(const char *path, char *buffer, size_t size);

#endif
