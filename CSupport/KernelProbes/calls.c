#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firstlight_launcher.h"
#include "kernel_probes.h"

// The exit status of a child, which is an errno; FL_PROBE_NO_EFFECT if a signal killed it.
static int32_t answer_of(pid_t child) {
  int status = 0;
  if (child < 0) return errno;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : FL_PROBE_NO_EFFECT;
}

// Closes a descriptor that a call returned. Returns 0, or the call's errno.
static int32_t closing(long descriptor) {
  if (descriptor < 0) return errno;
  close((int)descriptor);
  return 0;
}

int32_t fl_probe_wipe_on_fork(void) {
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  int *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return errno;
  *page = 1;
  int32_t found = madvise(page, size, MADV_WIPEONFORK) == 0 ? 0 : errno;
  if (found == 0) {
    pid_t child = fork();
    // qemu's user-mode emulation accepts the advice and ignores it.
    if (child == 0) _exit(*(volatile int *)page == 0 ? 0 : 1);
    found = answer_of(child) == 0 ? 0 : FL_PROBE_NO_EFFECT;
  }
  munmap(page, size);
  return found;
}

int32_t fl_probe_page_dropping(const char *folder) {
  enum { PAGES = 8 };
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
  int file = fl_unnamed_file_in(folder);
  if (file < 0) return FL_PROBE_NOT_TRIED;
  int32_t found = posix_fallocate(file, 0, (off_t)size);
  for (size_t at = 0; found == 0 && at < size; at += page)
    if (pwrite(file, "x", 1, (off_t)at) != 1) found = errno;
  uint8_t *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
  uint8_t resident[PAGES] = {0};
  if (found == 0 && memory == MAP_FAILED) found = errno;
  // Repeated, since pages just written may still be in a CPU's batch.
  for (int round = 0; found == 0 && round < 3; round++) {
    if (fsync(file) != 0) found = errno;
    if (found == 0) found = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  }
  if (found == 0 && mincore(memory, size, resident) != 0) found = errno;
  for (int i = 0; found == 0 && i < PAGES; i++)
    if ((resident[i] & 1) != 0) found = FL_PROBE_NO_EFFECT;
  if (memory != MAP_FAILED) munmap(memory, size);
  close(file);
  return found;
}

int32_t fl_probe_cache_dropping(void) {
  return access("/proc/sys/vm/drop_caches", W_OK) == 0 ? 0 : errno;
}

int32_t fl_probe_page_map(void) {
  uint64_t entry;
  int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  off_t at = (off_t)((uintptr_t)&entry / (uintptr_t)sysconf(_SC_PAGESIZE) * sizeof entry);
  ssize_t size = pread(file, &entry, sizeof entry, at);
  int32_t found = size == sizeof entry ? 0 : size < 0 ? errno : FL_PROBE_NO_EFFECT;
  close(file);
  // Our own stack must be in memory.
  return found == 0 && entry >> 62 == 0 ? FL_PROBE_NO_EFFECT : found;
}

int32_t fl_probe_file_watching(void) { return closing(inotify_init1(IN_CLOEXEC)); }

int32_t fl_probe_process_descriptor(void) { return closing(syscall(SYS_pidfd_open, getpid(), 0)); }

int32_t fl_probe_descriptor_closing(void) {
  // The highest possible descriptor, which is never open.
  return syscall(SYS_close_range, UINT_MAX, UINT_MAX, 0) == 0 ? 0 : errno;
}

int32_t fl_probe_restricted_open(void) {
  struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
  return closing(syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how));
}

int32_t fl_probe_system_call_filter(void) {
  pid_t child = fork();
  if (child == 0) {
    struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      _exit(errno);
    _exit(0);
  }
  return answer_of(child);
}
