// Records the first calls of an uninstrumented program by one-shot breakpoints.
//
// The host (the command line tool) chooses the functions to watch. The tracer starts the program
// under ptrace and follows all its threads, forks and execs. For each process it records the order
// in which these functions were first entered. Documentation/Tracer.md has details and limits.
//
// Not thread-safe: the kernel ties tracees to the thread that started them, so all functions here
// must be called by the thread that called `fl_tracer_start`. While a tracer exists, it owns the
// results of waitpid(-1): the host must have no other children.
#ifndef FIRSTLIGHT_TRACER_H
#define FIRSTLIGHT_TRACER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// A file that a traced process executes or has mapped.
struct fl_tracer_file {
  const char *path;  // the kernel's name; valid during the call
  /// A path that leads to the file during the call. For a program it differs from `path` if the
  /// file was removed or replaced, never had a name (memfd_create(2)), or has another path here.
  /// For a library it is `path`.
  const char *link;
  bool is_program;  // the file that was executed; false: a shared library
  bool is_command;  // the executed file is the one that the host asked to start
};

/// The functions of one file to be watched.
struct fl_tracer_sites {
  uint32_t image;  // the host's number for the file, repeated in calls
  uint32_t count;  // number of addresses
  // Link-time addresses of functions, strictly ascending; each the first byte of an instruction.
  // Owned by the host; must live until the tracer is freed.
  const uint64_t *_Nullable addresses;
  // With FL_TRACER_RETURNS: the index of the function whose first argument is the address of `main`
  // (`__libc_start_main`). `main` is then watched as function 0 of image `main_image`, unless it is
  // already watched. UINT32_MAX: the file has no such function.
  uint32_t main_argument, main_image;
};

/// Why functions of a file or process are not watched, or not any more.
enum fl_tracer_problem {
  FL_TRACER_FILE_CHANGED,  // the file at the library's path is not the mapped one
  FL_TRACER_FILE_SHARED,  // its code is mapped shared: breakpoints would be written to the file
  FL_TRACER_NO_ACCESS,  // the process's memory cannot be written; `error` has the reason
  FL_TRACER_NO_LOADER,  // the loader has no function that notifies of shared libraries
  FL_TRACER_CHILD_UNRECORDED,  // a forked process runs unrecorded: its memory cannot be opened
  FL_TRACER_CHILD_KILLED,  // a forked process was killed: its breakpoints could not be removed
  /// The process met a breakpoint in memory that is no file's: probably a copy of its code, with
  /// breakpoints of the tracer.
  FL_TRACER_CODE_COPIED,
  /// Attaching waits for another process that uses the memory, `error` is its id: breakpoints would
  /// kill it.
  FL_TRACER_MEMORY_SHARED,
};

/// Additional records, besides first calls.
enum fl_tracer_flag {
  /// The ends of calls: an `fl_tracer_return` for each call, and each stop of each thread. Each
  /// executed program and each forked process has a record from its start. Needs
  /// `loader_breakpoint`.
  FL_TRACER_RETURNS = 1,
  /// The loader's work: its system calls from exec on, and its notifications of libraries.
  FL_TRACER_LOADING = 2,
  /// Pins the program to the calling thread's CPU while the loader works. The calling thread stays
  /// on that CPU until it detaches.
  FL_TRACER_PINNED = 4,
  /// Detaches from the program when it enters a watched function that is not `main_argument`, if it
  /// has one thread then. `fl_tracer_step` still reports its end.
  FL_TRACER_UP_TO_MAIN = 8,
  /// Each call of a watched function, not only the first one, with its result. Needs
  /// FL_TRACER_RETURNS.
  FL_TRACER_EVERY_CALL = 16,
};

/// A thread at the first instruction of a watched function.
struct fl_tracer_entry {
  pid_t process;
  uint32_t record;  // index of the recorded process
  uint32_t call;  // index of the call there
  uint32_t image, function;  // as in fl_tracer_call
  uint64_t arguments[2];  // the first two, if they are numbers or addresses
  uint64_t address;  // the return address
  uint64_t stack;  // the caller's stack pointer after the return
  uint64_t frame;  // the caller's frame pointer
};

struct fl_tracer_process;
struct fl_tracer_image;
struct fl_tracer_call;

/// What a host writes down while the programs run. `record`: index of the recorded process.
struct fl_tracer_sink {
  void (*began)(void *_Nullable context, uint32_t record, const struct fl_tracer_process *process);
  void (*mapped)(void *_Nullable context, uint32_t record, const struct fl_tracer_image *image);
  void (*called)(void *_Nullable context, uint32_t record, const struct fl_tracer_call *call);
  /// The process has ended, executes another program, or runs on without the tracer.
  void (*ended)(void *_Nullable context, uint32_t record);
};

/// The tracer's questions to its host. `context` is passed through.
struct fl_tracer_host {
  void *_Nullable context;
  /// Fills in `sites` and returns true if functions of this file are to be watched. Called each
  /// time the file is mapped; the host caches its answers.
  bool (*choose)(void *_Nullable context, const struct fl_tracer_file *file,
                 struct fl_tracer_sites *sites);
  /// The link-time address of the function that the loader at this path calls after mapping or
  /// unmapping shared libraries (`_dl_debug_state`); 0 if the loader has none. NULL: shared
  /// libraries are ignored. `state` receives the address of the loader's `_r_debug`, or 0.
  uint64_t (*_Nullable loader_breakpoint)(void *_Nullable context, const char *path,
                                          uint64_t *state);
  /// Called at most once for each file of a process. `error`: an errno, or 0.
  void (*problem)(void *_Nullable context, enum fl_tracer_problem problem, const char *path,
                  int error);
  /// A function without a call whose breakpoint was gone at the end of a process, or of the
  /// recording: the process may have called it unseen. NULL: not checked.
  void (*_Nullable unwatched)(void *_Nullable context, uint32_t record, uint32_t image,
                              uint32_t function);
  /// Receives the records as they are made; NULL: they are kept here, and their calls as well.
  const struct fl_tracer_sink *_Nullable sink;
  uint32_t flags;  // fl_tracer_flag
  uint32_t slice;  // the functions of each file to watch at first; 0: all
  /// With FL_TRACER_RETURNS: a watched function has returned; the process has been stopped since
  /// `time`. True: watch the function again and record each further call. NULL: never.
  bool (*_Nullable returned)(void *_Nullable context, pid_t process, uint32_t image,
                             uint32_t function, uint64_t time);
  /// With FL_TRACER_EVERY_CALL: a watched function was called; the thread is stopped. May be NULL.
  void (*_Nullable entered)(void *_Nullable context, const struct fl_tracer_entry *entry);
};

/// A first call. Its sequence is its index in the list of its process.
struct fl_tracer_call {
  uint32_t image;  // the host's number
  uint32_t function;  // index in the addresses of that image
  uint32_t thread;  // kernel thread id
  uint64_t time;  // CLOCK_MONOTONIC, ns, when the tracer saw the call
};

/// The end of a call.
enum fl_tracer_ending {
  FL_TRACER_RUNNING,  // no return until the recording or the thread ended
  FL_TRACER_RETURNED,  // the return was seen
  FL_TRACER_UNWOUND,  // the frame was left without a return
  FL_TRACER_UNSEEN,  // the return may have passed unseen
};

/// Page faults of a process so far.
struct fl_tracer_faults {
  uint32_t minor, major;
};

/// Further facts about a call.
struct fl_tracer_return {
  int32_t parent;  // index of the enclosing call of the thread; -1: none
  uint8_t ending;  // fl_tracer_ending
  bool is_tail_call;  // entered by a jump from the parent, whose frame it uses
  uint64_t argument;  // the first argument, if that is a number or an address
  uint64_t result;  // with FL_TRACER_EVERY_CALL: of a seen return, if it is a number or an address
  uint64_t time;  // CLOCK_MONOTONIC, ns, when the return was seen; 0: unseen
  struct fl_tracer_faults before, after;  // at the entry and the return
};

/// One stop of a thread. The time between `seen` and `resumed` is the tracer's.
struct fl_tracer_stop {
  uint32_t thread;
  uint32_t created;  // the thread or process that the stop announced; 0: none
  uint64_t seen, resumed;  // CLOCK_MONOTONIC, ns
};

/// The kinds of moments.
enum fl_tracer_moment_kind {
  FL_TRACER_EXECUTED,  // the program is before its first instruction, or that of its loader
  FL_TRACER_SYSTEM_CALL,  // a system call of the loader has ended
  FL_TRACER_LIBRARIES,  // the loader notifies that libraries are about to change, or have changed
  FL_TRACER_EXIT,  // a thread is about to end
};

/// System calls that show what a loader is doing.
enum fl_tracer_system_call {
  FL_TRACER_OTHER_CALL,
  FL_TRACER_OPEN,
  FL_TRACER_MAP,
  FL_TRACER_PROTECT,
  FL_TRACER_CLOSE,
};

/// An event other than a call.
struct fl_tracer_moment {
  uint32_t kind;
  uint32_t thread;
  uint64_t time;  // CLOCK_MONOTONIC, ns, when seen; for a system call: its end
  uint64_t began;  // for a system call: when its beginning was seen
  struct fl_tracer_faults faults;
  uint32_t system_call;  // fl_tracer_system_call
  uint64_t arguments[5];  // of a system call, like `result`
  int64_t result;
  uint32_t text;  // for a call that opens a file: offset of its path in the process's `texts`, + 1
};

/// A watched image of a process.
struct fl_tracer_image {
  uint32_t image;  // the host's number
  uint64_t load_bias;  // run-time address minus link-time address
};

/// A recorded process: from its exec or fork to its end or next exec.
struct fl_tracer_process {
  uint32_t pid;
  uint32_t parent_pid;
  int32_t forked_from;  // index of the recorded process that it was forked from; -1: none
  uint32_t forked_at;  // the number of calls of that process at the fork
  uint64_t start;  // clock ticks since boot (/proc/PID/stat, field 22); 0: unknown
  uint64_t monotonic;  // CLOCK_MONOTONIC when the recording of this process began, ns
  uint64_t realtime;  // CLOCK_REALTIME at the same moment, ns
  uint32_t drops;  // first calls that were lost because memory was exhausted
  uint32_t unrecorded;  // processes forked from this one whose calls could not be recorded
  uint32_t running;  // still alive at detaching: this process, and forked ones without a record
  const char *path;  // the executable
  const char *command;  // the arguments, each ended by NUL
  uint32_t command_size;
  uint32_t image_count;
  uint32_t call_count;
  const struct fl_tracer_image *_Nullable images;
  const struct fl_tracer_call *_Nullable calls;
  // Present if the flags ask for them.
  uint64_t requested;  // CLOCK_MONOTONIC when the exec was requested, ns; 0: unknown
  uint64_t requested_ran;  // CPU time of the process at that time, ns
  const struct fl_tracer_return *_Nullable returns;  // one for each call
  const struct fl_tracer_stop *_Nullable stops;
  uint32_t stop_count;
  uint32_t moment_count;
  const struct fl_tracer_moment *_Nullable moments;
  const char *_Nullable texts;
};

/// The result of `fl_tracer_start`.
enum fl_tracer_start {
  FL_TRACER_STARTED,
  FL_TRACER_NOT_FOUND,  // the program cannot be started; see errno
  FL_TRACER_NOT_ALLOWED,  // ptrace is refused or impossible; see errno
  FL_TRACER_NO_PROCESS,  // no process can be created; see errno
  FL_TRACER_SHARED,  // another process still uses the memory after ten seconds; errno is its id
};

/// How often and how long the tracer held threads, from the moment it saw that they had stopped.
struct fl_tracer_cost {
  uint64_t stops;
  uint64_t total, longest;  // ns
};

struct fl_tracer;

/// Creates a tracer. The host's functions and context must outlive it. NULL with errno ENOMEM. The
/// caller frees it with `fl_tracer_free`.
struct fl_tracer *_Nullable fl_tracer_make(const struct fl_tracer_host *host);

/// Starts a program. Searches PATH as execvp does, without its fallback to a shell. The program
/// inherits this process's descriptors and has the signal mask `mask`. `arguments` and
/// `environment` end with NULL.
///
/// It has a process group of its own. On success, `fl_tracer_pid` is its process id, and SIGCHLD
/// means that `fl_tracer_step` must be called. `streams`: its descriptors 0, 1 and 2; NULL: this
/// process's. May be called once.
enum fl_tracer_start fl_tracer_start(struct fl_tracer *tracer,
                                     char *_Nullable const *_Nonnull arguments,
                                     char *_Nullable const *_Nonnull environment,
                                     const sigset_t *mask, const int *_Nullable streams);

/// Forks the process that will trace or watch by probes, so that attached programs outlive this
/// command: if the command is killed, that process receives SIGTERM. Ctrl-C and other ending
/// signals are passed on to it. Returns 0 in the tracer, with ending signals blocked. Elsewhere,
/// returns when the tracer has ended, with its process id and wait status; -1 with errno if there
/// is none. Must be called before other threads start.
pid_t fl_tracer_separate(int *status);

/// Attaches to a running process: stops its threads, writes the breakpoints and lets them go on.
/// May be called for several processes, in place of `fl_tracer_start`. If this process is killed,
/// the breakpoints stay, and the next one that a thread meets ends its program: see
/// `fl_tracer_separate`.
///
/// Waits up to ten seconds for children of vfork(2) that began before, while the program runs.
/// NOT_FOUND: there is no such process. After SHARED, this process has to end soon: the kernel may
/// let go of some threads only then.
enum fl_tracer_start fl_tracer_attach(struct fl_tracer *tracer, pid_t process);

/// Process id of the started program.
pid_t fl_tracer_pid(const struct fl_tracer *tracer);

/// Handles stops of tracees; never blocks. Sends SIGCHLD to this process if more stops are waiting.
/// Returns true once the started program has ended, with its wait status in `status`. May then
/// still be called for processes that the program has left running.
bool fl_tracer_step(struct fl_tracer *tracer, int *status);

/// The signal that has stopped the started program (job control) since the last call; 0: none.
int fl_tracer_take_stop(struct fl_tracer *tracer);

/// The cost of the recording so far. Attaching to a process counts as one stop.
struct fl_tracer_cost fl_tracer_cost(const struct fl_tracer *tracer);

/// Watches the next functions of each file, after the first `slice`. Returns whether some are left.
bool fl_tracer_plant_next(struct fl_tracer *tracer, uint32_t count);

/// Number of traced processes that have not ended.
uint32_t fl_tracer_living(const struct fl_tracer *tracer);

/// Sends a signal to each traced process.
void fl_tracer_signal(struct fl_tracer *tracer, int signal);

/// Removes every breakpoint and detaches from all running processes. They continue as if never
/// traced. Blocks until each thread has stopped once, which takes microseconds. The kernel lets go
/// of threads that wait for a child of vfork(2) when this process ends.
void fl_tracer_detach(struct fl_tracer *tracer);

/// The number of recorded processes so far, and access to one. A process is recorded if one of its
/// images is watched; a forked process if it was the first to call some function. Owned by the
/// tracer; valid until the next call of `fl_tracer_step`, `fl_tracer_detach` or `fl_tracer_free`.
uint32_t fl_tracer_process_count(const struct fl_tracer *tracer);
struct fl_tracer_process fl_tracer_process_at(const struct fl_tracer *tracer, uint32_t index);

/// Makes processes whose parents end children of this process instead of init.
void fl_adopt_orphans(void);

/// Detaches from any tracees, and frees the tracer.
void fl_tracer_free(struct fl_tracer *tracer);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif
