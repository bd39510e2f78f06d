// Starts programs, with functions that Swift cannot call: vfork, ptrace's variadic call, signalfd,
// statfs, cpu_set_t.
#ifndef FIRSTLIGHT_LAUNCHER_H
#define FIRSTLIGHT_LAUNCHER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// The process group of a program: this process's, one that it leads, one in a session of its own,
// or one apart from this process's that it does not lead, so that it may call setsid(2).
enum fl_launch_group { FL_SAME_GROUP, FL_OWN_GROUP, FL_OWN_SESSION, FL_APART_GROUP };

enum fl_launch_step { FL_LAUNCH_START, FL_LAUNCH_TRACE };

struct fl_launch {
  const char *_Nonnull program;  // looked up on PATH if it has no slash
  // Both end with NULL.
  char *_Nullable const *_Nonnull arguments;
  char *_Nullable const *_Nonnull environment;
  const char *_Nullable directory;  // its working directory; NULL: this process's
  const int *_Nullable streams;  // its descriptors 0, 1 and 2; NULL: this process's
  sigset_t mask;                 // the signals that it starts with blocked
  enum fl_launch_group group;
  pid_t leader;  // of the group apart: from fl_lead_group(), or 0
  bool dies_with_us;  // whether it is killed when the calling thread ends
  bool traced;  // whether to stop it right after exec, before its first instruction
};

// Makes a process group whose leader has ended, but is not reaped: the group lasts until
// fl_reap_leader(), and from then on as long as it has members. Returns its number, or 0 if there
// can be no process.
pid_t fl_lead_group(void);

void fl_reap_leader(pid_t leader);

// Starts a program. Signal actions and the limit of descriptors are those that this process
// inherited. Returns 0, with the program's id in *pid; or errno, with the failed step in *failed.
int fl_launch_program(const struct fl_launch *_Nonnull launch, pid_t *_Nonnull pid,
                      enum fl_launch_step *_Nonnull failed);

// Starts a process by vfork, so that page faults of this process's memory do not count as the
// program's. `become` runs in the child on this process's memory, with all signals blocked: it
// makes system calls only, changes nothing that affects the parent, sets the signal mask, executes
// a program, and returns an errno if that fails. Returns 0, with the process's id in *pid, or
// errno.
int fl_start_process(int (*_Nonnull become)(const void *_Nonnull context),
                     const void *_Nonnull context, pid_t *_Nonnull pid);

// Calls `body` on this thread, with a stack of the usual size if the limit is lower, and gives all
// later threads such stacks. May be called once.
void fl_run_on_usual_stack(void (*_Nonnull body)(void));

// The following run in a forked child, before its exec, and use only system calls and plain memory.

// Restores the signal actions and the limit of descriptors that this process inherited. A
// constructor of this module saves them, and gives SIGCHLD its default action.
void fl_restore_inherited(void);

// Makes `streams` the descriptors 0, 1 and 2. Returns 0 or errno.
int fl_take_streams(const int *_Nonnull streams);

// Executes `name`, looked up on PATH if it has no slash, but not with a shell as execvp does.
// `before` is called before each attempt. Returns an errno.
int fl_execute(const char *_Nonnull name, char *_Nullable const *_Nonnull arguments,
               char *_Nullable const *_Nonnull environment,
               void (*_Nullable before)(void *_Nullable context), void *_Nullable context);

// A descriptor that is readable when one of these signals is pending; they must be blocked in all
// threads. Returns -1 with errno set on failure. The caller closes it.
int fl_signal_events(const sigset_t *_Nonnull signals);
// A descriptor that is readable when a child has stopped or ended; SIGCHLD must be blocked in all
// threads. Returns -1 with errno set on failure. The caller closes it.
int fl_child_events(void);
// Reads all available events.
void fl_take_child_events(int children);

enum { FL_WAIT_FIRST = 1, FL_WAIT_SECOND = 2 };

// Waits until one of two descriptors is readable, at most `nanoseconds`; -1 for no limit. A
// descriptor of -1 is ignored. Returns FL_WAIT_ flags; 0 at a timeout or a signal.
int fl_wait(int first, int second, int64_t nanoseconds);
// Makes waits of the calling thread end on time, not up to 50 us later.
void fl_wake_punctually(void);

// The following are for a stopped, traced child. Each returns 0 or errno.

// Makes it stop before its end, with its memory intact. Kills it if this process ends.
int fl_trace_exit(pid_t pid);
// Resumes the child, with a signal or 0.
int fl_trace_continue(pid_t pid, int signal);
// Resumes the child untraced.
int fl_trace_detach(pid_t pid);

// Whether a wait status is the stop requested by fl_trace_exit, or that of a later exec.
bool fl_is_exit_stop(int status);
bool fl_is_exec_stop(int status);

// Makes a traced child that is stopped after exec call madvise(address, size, advice).
// `instruction` is the address of a system call instruction in its memory: the vDSO has one, so no
// page of a file is written. Returns 0 or errno; ENOSYS on other architectures.
int fl_trace_advise(pid_t pid, uint64_t instruction, uint64_t address, uint64_t size, int advice);

// The bytes of a system call instruction and their number; 0 on other architectures.
extern const uint8_t fl_syscall_instruction[4];
extern const uint32_t fl_syscall_instruction_size;

// Opens a pseudo terminal: a program writes to *program, and the caller reads from *ours. Both are
// closed on exec, and neither becomes a controlling terminal. Returns 0 or errno.
int fl_open_terminal(int *_Nonnull program, int *_Nonnull ours);

// An unnamed file in memory for a program's output, or one in a folder; closed on exec. Returns -1
// with errno set on failure.
int fl_unnamed_file(void);
int fl_unnamed_file_in(const char *_Nonnull folder);

// Whether an open file is on an in-memory file system (tmpfs, ramfs): its pages cannot be dropped.
bool fl_is_in_memory_only(int file);

// A range of this process's memory.
struct fl_memory {
  uint64_t address, size;
};

// Unmaps pages of a file from this process's page table, then makes the kernel drop all unmapped
// pages of the file. In one call, since code in between could fault in pages of libraries. `own`:
// whole pages of unmodified, read-only mappings of the file.
void fl_drop_pages(int file, const struct fl_memory *_Nullable own, uint32_t count);

enum { FL_CPU_AFFINITY_WORDS = 16 };

// Gets and sets the CPUs that the calling thread may run on, one bit each. Processes that it starts
// inherit them. False if the system refuses.
bool fl_cpu_affinity_get(uint64_t mask[_Nonnull FL_CPU_AFFINITY_WORDS]);
bool fl_cpu_affinity_set(const uint64_t mask[_Nonnull FL_CPU_AFFINITY_WORDS]);

#endif
