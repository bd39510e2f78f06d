// Text is read-only: process_vm_writev respects page protection, /proc/PID/mem and ptrace do not.
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arch.h"

int fl_memory_open(pid_t pid) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  return open(path, O_RDWR | O_CLOEXEC);
}

bool fl_descriptor_is_scarce(int file) {
  enum { SPARE = 16 };
  struct rlimit limit;
  // The kernel assigns the lowest free number.
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)file + SPARE >= limit.rlim_cur;
}

bool fl_memory_read(int memory, uint64_t address, void *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t got = pread(memory, (char *)bytes + done, size - done, (off_t)(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

/// Writes whole words, except those with the right contents already.
static bool poke(int memory, pid_t thread, uint64_t address, const uint8_t *bytes, size_t size) {
  while (size > 0) {
    uint64_t start = address & ~(uint64_t)7;
    size_t skip = (size_t)(address - start);
    size_t count = 8 - skip < size ? 8 - skip : size;
    uint64_t word;
    if (!fl_memory_read(memory, start, &word, sizeof word)) return false;
    uint64_t wanted = word;
    memcpy((uint8_t *)&wanted + skip, bytes, count);
    if (wanted != word && ptrace(PTRACE_POKETEXT, thread, (void *)start, (void *)wanted) != 0)
      return false;
    address += count;
    bytes += count;
    size -= count;
  }
  return true;
}

bool fl_memory_write(int memory, pid_t thread, uint64_t address, const void *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t put = pwrite(memory, (const char *)bytes + done, size - done, (off_t)(address + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0)
      return poke(memory, thread, address + done, (const uint8_t *)bytes + done, size - done);
    done += (size_t)put;
  }
  return true;
}

bool fl_memory_unbreak(pid_t thread, uint64_t address, const uint8_t *saved) {
  uint64_t start = address & ~(uint64_t)7;
  size_t skip = (size_t)(address - start);
  // All ones are valid contents, so only errno shows an error.
  errno = 0;
  uint64_t word = (uint64_t)ptrace(PTRACE_PEEKTEXT, thread, (void *)start, NULL);
  if (errno != 0) return errno == EIO || errno == EFAULT;  // no longer mapped
  uint8_t *at = (uint8_t *)&word + skip;
  if (memcmp(at, fl_breakpoint, fl_breakpoint_size) != 0) return true;
  memcpy(at, saved, fl_breakpoint_size);
  return ptrace(PTRACE_POKETEXT, thread, (void *)start, (void *)word) == 0;
}
