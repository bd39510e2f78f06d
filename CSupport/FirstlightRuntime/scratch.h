// Memory for paths and small files while the runtime creates its own files. The stack is too small:
// a signal handler's has 8 KiB, most of which the kernel uses.
#ifndef FL_SCRATCH_H
#define FL_SCRATCH_H

#include <stddef.h>
#include <sys/mman.h>

#include "attributes.h"
#include "file.h"

struct fl_scratch {
  char name[FL_FILE_MAX], temporary[FL_FILE_MAX];
  char text[2048];
};

/// Null on failure, with errno. The caller returns it with fl_scratch_give.
FL_LOCAL inline struct fl_scratch *fl_scratch_take(void) {
  void *memory = mmap(NULL, sizeof(struct fl_scratch), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

FL_LOCAL inline void fl_scratch_give(struct fl_scratch *scratch) {
  munmap(scratch, sizeof *scratch);
}

#endif
