// Starts processes that read untrusted files, and removes all rights that reading does not need. In
// C because Swift cannot call vfork, close_range and seccomp, nor install a signal handler. Used by
// firstlightd.
#ifndef FIRSTLIGHT_WORKER_SANDBOX_H
#define FIRSTLIGHT_WORKER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The descriptors of the files that a worker reads. It writes its answer to standard output.
enum { FL_WORKER_FILE = 3, FL_WORKER_DEBUG_FILE = 4 };

// The exit status of a worker that crashed because it had used up its memory.
enum { FL_WORKER_OUT_OF_MEMORY = 86 };

struct fl_worker {
  const char *_Nonnull path;
  char *_Nullable const *_Nonnull arguments;  // ends with NULL; the first is the program's name
  char *_Nullable const *_Nonnull environment;  // ends with NULL
  int output;  // becomes standard output
  int file;  // becomes FL_WORKER_FILE
  int debug_file;  // becomes FL_WORKER_DEBUG_FILE; -1 if there is none
  uint64_t memory;  // limit of private writable memory, bytes (RLIMIT_DATA)
  uint64_t seconds;  // limit of CPU time (RLIMIT_CPU)
};

// Starts a worker. It has only the descriptors above, default signals, and one
// CPU, so that Dispatch starts no threads. It dies with the calling thread, which must wait for it.
// Returns 0, with the worker's id in *pid and a descriptor (pidfd_open) in *process, which is
// readable after the worker's end. The descriptor is closed on exec, and the caller closes it. Or
// returns errno. The caller ends the worker by fl_worker_end.
int fl_worker_start(const struct fl_worker *_Nonnull worker, pid_t *_Nonnull pid,
                    int *_Nonnull process);

// A pipe that is closed on exec, [0] for reading; 0 or errno. pipe2 is not visible to Swift.
int fl_pipe(int ends[_Nonnull 2]);

// Kills a worker if it still runs, and returns its wait status.
int fl_worker_end(pid_t pid);

// Restricts the calling process, which must have one thread, to the needs of reading a mapped file:
// no capabilities, no new privileges, no new descriptors, no core dump. Allowed system calls manage
// private non-executable memory, read and write open descriptors, and end the process. All others
// fail with EACCES, so that a library that searches for a file continues without it. A crash from
// lack of memory becomes the exit status FL_WORKER_OUT_OF_MEMORY. Returns 0 or errno; cannot be
// undone.
int fl_sandbox_enter(void);

// Opens a path without access to its contents (O_PATH): opening has no effect on a device or a
// FIFO. A symbolic link in its last component is followed only if `follow`, and magic links of
// /proc never (openat2). Returns the descriptor, closed on exec, or -1 with
// errno.
int fl_open_path(const char *_Nonnull path, bool follow);

// Whether an open file is on a kernel file system (procfs, sysfs). True if unknown.
bool fl_is_kernel_file(int file);

// Opens the file behind a descriptor of fl_open_path for reading. Returns -1 with errno on failure.
int fl_reopen(int file);

// BLAKE3 of some bytes.
void fl_blake3(const void *_Nonnull bytes, size_t count, uint8_t hash[_Nonnull 32]);

#endif
