#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "worker_sandbox.h"

int fl_open_path(const char *path, bool follow) {
  int flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
  struct open_how how = {.flags = (uint64_t)flags, .resolve = RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

bool fl_is_kernel_file(int file) {
  struct statfs status;
  if (fstatfs(file, &status) < 0) return true;
  return status.f_type == PROC_SUPER_MAGIC || status.f_type == SYSFS_MAGIC;
}

int fl_reopen(int file) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int fl_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) < 0 ? errno : 0; }
