// Starts processes that read files nobody vouches for, and takes from them all that reading does
// not need. What Swift cannot say: vfork, close_range, seccomp, a signal handler. Goes into
// firstlightd.
#ifndef FIRSTLIGHT_WORKER_SANDBOX_H
#define FIRSTLIGHT_WORKER_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Where a worker finds the files that it was given; its answer goes to standard output.
enum { FL_WORKER_FILE = 3, FL_WORKER_DEBUG_FILE = 4 };

// The exit status of a worker that crashed because it had used up its memory.
enum { FL_WORKER_OUT_OF_MEMORY = 86 };

struct fl_worker {
  const char *_Nonnull path;
  char *_Nullable const *_Nonnull arguments;  // ends with NULL; the first is the program's name
  char *_Nullable const *_Nonnull environment;  // ends with NULL
  int output;  // becomes standard output
  int file;  // becomes FL_WORKER_FILE
  int debug_file;  // becomes FL_WORKER_DEBUG_FILE; -1: there is none
  uint64_t memory;  // bytes of private writable memory (RLIMIT_DATA)
  uint64_t seconds;  // of processor time (RLIMIT_CPU)
};

// Starts a worker by vfork and exec. It has the three descriptors above and no other, default
// signals, one processor, so that Dispatch starts no threads, and dies with the calling thread:
// call it on one that waits for the worker.
// Returns 0 and its id in *pid, and in *process a descriptor (pidfd_open) that can be read once
// it has ended, closed on exec, the caller's to close; or errno. The caller has to wait for it
// by fl_worker_end.
int fl_worker_start(const struct fl_worker *_Nonnull worker, pid_t *_Nonnull pid,
                    int *_Nonnull process);

// pipe2 and mkostemp, which Swift does not see: a pipe closed on exec, [0] to read from it; 0 or
// errno.
int fl_pipe(int ends[_Nonnull 2]);
// A file in a folder, without a name, for reading and writing, closed on exec; -1 with errno.
int fl_unnamed_file_in(const char *_Nonnull folder);

enum { FL_WORKER_OUTPUT = 1, FL_WORKER_ENDED = 2 };

// Waits until output can be read or the process has ended, at most so many milliseconds; a
// descriptor of -1 is not waited for. Returns FL_WORKER_ flags; 0 when the time is over or a
// signal came.
int fl_worker_wait(int output, int process, int milliseconds);

// Kills a worker that still runs and takes its wait status, which says how it ended before that.
int fl_worker_end(pid_t pid);

// The signal that ended it by a wait status, or 0; else its exit status in *status.
int fl_worker_signal(int wait_status, int *_Nonnull status);

// Leaves the calling process, which has to have one thread, only what reading a mapped file
// needs: no capabilities, no new privileges, no new descriptors, no core dump; of system calls
// those that manage private memory that cannot be executed, read and write open descriptors, and
// end it. All others fail with EACCES, so that a library that looks for a file goes on without.
// A crash for want of memory becomes the exit status FL_WORKER_OUT_OF_MEMORY.
// Returns 0 or errno; it cannot be undone.
int fl_sandbox_enter(void);

// Opens a path for looking only (O_PATH), so that nothing happens to a device or a FIFO. A
// symbolic link in its last part is followed only if `follow`, and one of /proc's nowhere
// (openat2 where there is one).
// Returns the descriptor, closed on exec, or -1 with errno.
int fl_open_path(const char *_Nonnull path, bool follow);

// Whether an open file lies in a file system whose files are not data but the kernel's own doing
// (procfs, sysfs). True if it cannot be told.
bool fl_is_kernel_file(int file);

// Opens for reading the very file that a descriptor of fl_open_path holds. -1 with errno.
int fl_reopen(int file);

#endif
