#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "firstlight_launcher.h"

bool fl_is_in_memory_only(int file) {
  struct statfs system;
  if (fstatfs(file, &system) != 0) return false;
  unsigned long type = (unsigned long)system.f_type & 0xffffffff;
  return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}

void fl_drop_pages(int file, const struct fl_memory *own, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    madvise((void *)(uintptr_t)own[i].address, own[i].size, MADV_DONTNEED);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}
