#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "firstlight_launcher.h"

int fl_unnamed_file(void) { return memfd_create("firstlight", MFD_CLOEXEC); }

int fl_unnamed_file_in(const char *folder) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/.firstlight-XXXXXX", folder);
  if (length < 0 || (size_t)length >= sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int file = mkostemp(path, O_CLOEXEC);
  if (file >= 0) unlink(path);
  return file;
}

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
