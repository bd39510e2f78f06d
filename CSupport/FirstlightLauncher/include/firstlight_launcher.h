// Starts programs to be measured. What Swift cannot say: vfork, ptrace's
// variadic call, signalfd, statfs, cpu_set_t. Goes into the command line tool only.
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
  int input, output, errors;  // what becomes standard input, output and error
  bool traced;  // whether it stops right after exec, before its first instruction
};

enum fl_launch_step { FL_LAUNCH_START, FL_LAUNCH_TRACE };

// Starts a program: vfork, so that none of our memory's faults are counted as its own. The program
// dies with the calling thread. All signals are at their defaults and unblocked in it.
// Returns 0 and its id in *pid; or errno, and in *failed what failed.
int fl_launch_program(const struct fl_launch *_Nonnull launch, pid_t *_Nonnull pid,
                      enum fl_launch_step *_Nonnull failed);

// A descriptor that can be read when one of these signals is pending; they must be blocked in all
// threads. Returns -1 with errno set if there is none. The caller closes it.
int fl_signal_events(const sigset_t *_Nonnull signals);
// A descriptor that can be read when a child has stopped or ended; SIGCHLD must be blocked in all
// threads. Returns -1 with errno set if there is none. The caller closes it.
int fl_child_events(void);
// Takes what can be read out of it.
void fl_take_child_events(int children);

enum { FL_WAIT_FIRST = 1, FL_WAIT_SECOND = 2 };

// Waits until one of two descriptors can be read, at most `nanoseconds`; -1: for as long as it
// takes. A descriptor of -1 is not waited for. Returns FL_WAIT_ flags; 0 when the time is over or a
// signal came.
int fl_wait(int first, int second, int64_t nanoseconds);

// For a traced child that is stopped; each returns 0 or errno.
// Has it stop when it is about to end, with its memory still there; ends it should we end.
int fl_trace_exit(pid_t pid);
// Lets it go on, with a signal delivered (0: none).
int fl_trace_continue(pid_t pid, int signal);
// Lets it go on, untraced.
int fl_trace_detach(pid_t pid);

// Whether a wait status is the stop that fl_trace_exit asked for, or that of a later exec.
bool fl_is_exit_stop(int status);
bool fl_is_exec_stop(int status);

// Has a traced child, stopped after exec, call madvise(address, size, advice). `instruction` is the
// address of a system call instruction in its memory: the vDSO has one, so that no page of a file
// has to be written to. Returns 0 or errno; ENOSYS where the processor is not known here.
int fl_trace_advise(pid_t pid, uint64_t instruction, uint64_t address, uint64_t size, int advice);

// Bytes of a system call instruction of this processor, and how many; 0: not known here.
extern const uint8_t fl_syscall_instruction[4];
extern const uint32_t fl_syscall_instruction_size;

// Makes a terminal: *program is for the program that is to write to it, *ours to read what it
// writes. Both are closed on exec, and neither becomes anybody's controlling terminal. Returns 0 or
// errno.
int fl_open_terminal(int *_Nonnull program, int *_Nonnull ours);

// A file without a name for what a program writes; closed on exec. -1 with errno.
int fl_unnamed_file(void);

// Whether an open file lies in a file system that is memory (tmpfs, ramfs): none of its pages can
// be dropped.
bool fl_is_in_memory_only(int file);

// Memory of this process.
struct fl_memory {
  uint64_t address, size;
};

// Takes pages of a file out of our page table, then has the kernel drop all of the file's pages
// that nobody has mapped. In one go: any code in between would bring pages of libraries back. `own`
// are whole pages of mappings of the file that are not writable and the same as the file.
void fl_drop_pages(int file, const struct fl_memory *_Nullable own, uint32_t count);

enum { FL_CPU_AFFINITY_WORDS = 16 };

// On which processors the calling thread may run, a bit each; what it starts inherits that. What
// Swift does not see: cpu_set_t's functions. False where the system refuses.
bool fl_cpu_affinity_get(uint64_t mask[_Nonnull FL_CPU_AFFINITY_WORDS]);
bool fl_cpu_affinity_set(const uint64_t mask[_Nonnull FL_CPU_AFFINITY_WORDS]);

#endif
