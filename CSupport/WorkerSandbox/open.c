#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "worker_sandbox.h"

int fl_open_path(const char *path, bool follow) {
  int flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
  struct open_how how = {.flags = (uint64_t)flags, .resolve = RESOLVE_NO_MAGICLINKS};
  int file = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  if (file >= 0 || (errno != ENOSYS && errno != EPERM)) return file;
  // For kernels before 5.6, and filters that deny the call.
  return open(path, flags);
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

int fl_unnamed_file_in(const char *folder) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/firstlightd-XXXXXX", folder);
  if (length < 0 || (size_t)length >= sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int file = mkostemp(path, O_CLOEXEC);
  if (file >= 0) unlink(path);
  return file;
}
