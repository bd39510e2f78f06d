// Uses only system calls and plain memory, since a forked child may be about to exec.
#define _GNU_SOURCE
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"
#include "thread.h"

/// "DIR/PREFIX<pid>-<start>-<key>SUFFIX"
FL_LOCAL struct text file_name(char *name, const char *prefix, const struct fl_process_id *id) {
  struct text text = {name, 0, FL_FILE_MAX};
  append(&text, fl_environment_directory());
  append(&text, "/");
  append(&text, prefix);
  append_number(&text, id->pid, 10, 1);
  append(&text, "-");
  append_number(&text, id->start, 10, 1);
  append(&text, "-");
  append_number(&text, id->key, 16, 16);
  return text;
}

FL_HIDDEN void fl_process_file_name(char *name, const struct fl_process_id *id,
                                    const char *suffix) {
  struct text text = file_name(name, "", id);
  append(&text, suffix);
}

FL_HIDDEN void fl_segment_file_name(char *name, const struct fl_process_id *id, unsigned number,
                                    const char *suffix) {
  struct text text = file_name(name, "", id);
  append(&text, "-");
  append_number(&text, number, 10, 1);
  append(&text, suffix);
}

FL_HIDDEN bool fl_file_size_allowed(unsigned long size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         size <= limit.rlim_cur;
}

/// Gives a new file its space now: on a full file system, a write to its mapping would end the
/// program.
///
/// Needs a critical section: at a signal, file systems would stop and start over.
FL_LOCAL int allocate(int file, size_t size) {
  int error = posix_fallocate(file, 0, (off_t)size);
  if (error != EOPNOTSUPP) return error;
  // The file system cannot allocate. glibc's function would write to each block, musl's does not.
  static const char zeros[4096];
  for (size_t at = 0; at < size;) {
    size_t left = size - at;
    ssize_t written = pwrite(file, zeros, left < sizeof zeros ? left : sizeof zeros, (off_t)at);
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    at += (size_t)written;
  }
  return 0;
}

FL_HIDDEN void *fl_file_create(char *temporary, const struct fl_process_id *id, unsigned number,
                               unsigned long size) {
  if (!fl_file_size_allowed(size)) {
    errno = EFBIG;
    return NULL;
  }
  // The thread id distinguishes threads that load images at the same time.
  struct text text = file_name(temporary, ".", id);
  append(&text, "-");
  append_number(&text, number, 10, 1);
  append(&text, "-");
  append_number(&text, fl_thread_id(), 10, 1);
  int file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return NULL;
  int error = allocate(file, size);
  void *memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  close(file);
  if (error != 0) {
    unlink(temporary);
    errno = error;
    return NULL;
  }
  return memory;
}

FL_HIDDEN void *fl_file_map(const char *name, unsigned long size) {
  int file = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return NULL;
  struct stat status;
  void *memory = MAP_FAILED;
  if (fstat(file, &status) != 0 || status.st_size < (off_t)size || status.st_uid != geteuid())
    errno = EINVAL;
  else memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int error = errno;
  close(file);
  errno = error;
  return memory == MAP_FAILED ? NULL : memory;
}

FL_HIDDEN void *fl_file_map_again(void *start, unsigned long size) {
  // An old size of 0 makes a second mapping of the same pages.
  void *memory = mremap(start, 0, size, MREMAP_MAYMOVE);
  return memory == MAP_FAILED ? NULL : memory;
}

FL_HIDDEN void *fl_file_share(void *created, const char *temporary, const char *name,
                              unsigned long size) {
  // link, not rename: if two images race, the second must find the first one's file. File systems
  // without hard links refuse with various errors, and rename is the fallback for all of them.
  void *shared = created;
  bool is_shared = link(temporary, name) == 0;
  bool is_other = !is_shared && errno == EEXIST;
  if (!is_shared && !is_other) is_shared = rename(temporary, name) == 0;
  int error = errno;
  if (!is_shared) {
    munmap(created, size);
    errno = error;
    shared = is_other ? fl_file_map(name, size) : NULL;
    error = errno;
  }
  unlink(temporary);
  errno = error;
  return shared;
}
