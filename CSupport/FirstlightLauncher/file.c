#include <linux/magic.h>
#include <sys/vfs.h>

#include "firstlight_launcher.h"

bool fl_is_in_memory_only(int file) {
  struct statfs system;
  if (fstatfs(file, &system) != 0) return false;
  unsigned long type = (unsigned long)system.f_type & 0xffffffff;
  return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}
