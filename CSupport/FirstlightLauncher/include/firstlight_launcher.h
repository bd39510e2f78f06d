// Starts programs to be measured, with what Swift cannot call: vfork, ptrace's variadic call,
// signalfd, statfs, cpu_set_t. Used by the command line tool only.
#ifndef FIRSTLIGHT_LAUNCHER_H
#define FIRSTLIGHT_LAUNCHER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fl_launch {
  const char *_Nonnull path;                 // absolute
  char *_Nullable const *_Nonnull arguments;  // ends with NULL; the first is the program's name
  char *_Nullable const *_Nonnull environment;  // ends with NULL
  int input, output, errors;  // its standard input, output and error
  bool traced;  // whether it stops right after exec, before its first instruction
};

enum fl_launch_step { FL_LAUNCH_START, FL_LAUNCH_TRACE };

// Starts a program, by vfork: page faults of this process's memory are not counted as its own. The
// program dies with the calling thread. All its signals have the default action and are unblocked.
// Returns 0 and its id in *pid; or errno, and the step that failed in *failed.
int fl_launch_program(const struct fl_launch *_Nonnull launch, pid_t *_Nonnull pid,
                      enum fl_launch_step *_Nonnull failed);

// A descriptor that can be read when one of these signals is pending; they must be blocked in all
// threads. Returns -1 with errno set if there is none. The caller closes it.
int fl_signal_events(const sigset_t *_Nonnull signals);
// A descriptor that can be read when a child has stopped or ended; SIGCHLD must be blocked in all
// threads. Returns -1 with errno set if there is none. The caller closes it.
int fl_child_events(void);
// Reads all that can be read from it.
void fl_take_child_events(int children);

enum { FL_WAIT_FIRST = 1, FL_WAIT_SECOND = 2 };

// Waits until one of two descriptors can be read, at most `nanoseconds`; -1: without a limit. A
// descriptor of -1 is ignored. Returns FL_WAIT_ flags; 0 at a timeout or a signal.
int fl_wait(int first, int second, int64_t nanoseconds);
// Has waits of the calling thread end when their time is over, not up to 50 us later.
void fl_wake_punctually(void);

// For a traced child that is stopped. Each returns 0 or errno.

// Makes it stop before its end, while its memory still exists. Kills it if this process ends.
int fl_trace_exit(pid_t pid);
// Resumes it, with a signal or 0.
int fl_trace_continue(pid_t pid, int signal);
// Resumes it, untraced.
int fl_trace_detach(pid_t pid);

// Whether a wait status is the stop that fl_trace_exit asked for, or that of a later exec.
bool fl_is_exit_stop(int status);
bool fl_is_exec_stop(int status);

// Makes a traced child that is stopped after exec call madvise(address, size, advice).
// `instruction` is the address of a system call instruction in its memory: the vDSO has one, so
// that no page of a file is written. Returns 0 or errno; ENOSYS on other architectures.
int fl_trace_advise(pid_t pid, uint64_t instruction, uint64_t address, uint64_t size, int advice);

// The bytes of a system call instruction, and how many; 0 on other architectures.
extern const uint8_t fl_syscall_instruction[4];
extern const uint32_t fl_syscall_instruction_size;

// Opens a pseudo terminal: a program writes to *program, and *ours reads it. Both are closed on
// exec, and neither becomes a controlling terminal. Returns 0 or errno.
int fl_open_terminal(int *_Nonnull program, int *_Nonnull ours);

// An unnamed file for a program's output; closed on exec. -1 with errno.
int fl_unnamed_file(void);

// Whether an open file is in a file system in memory (tmpfs, ramfs): its pages cannot be dropped.
bool fl_is_in_memory_only(int file);

// Memory of this process.
struct fl_memory {
  uint64_t address, size;
};

// Unmaps pages of a file from this process's page table, then makes the kernel drop all pages of
// the file that are not mapped. In one call: code in between could fault in pages of libraries.
// `own`: whole pages of unmodified, read-only mappings of the file.
void fl_drop_pages(int file, const struct fl_memory *_Nullable own, uint32_t count);

enum { FL_CPU_AFFINITY_WORDS = 16 };

// Gets and sets the CPUs that the calling thread may run on, one bit each. Processes that it starts
// inherit them. False if the system refuses.
bool fl_cpu_affinity_get(uint64_t mask[_Nonnull FL_CPU_AFFINITY_WORDS]);
bool fl_cpu_affinity_set(const uint64_t mask[_Nonnull FL_CPU_AFFINITY_WORDS]);

#endif
