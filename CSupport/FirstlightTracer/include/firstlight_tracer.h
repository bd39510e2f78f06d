// Records the first calls of an uninstrumented program by one-shot breakpoints.
//
// The host (the command line tool) chooses the functions to watch. The tracer starts the program
// under ptrace, follows all its threads, forks and execs, and records for each process the order in
// which it entered those functions. Documentation/Tracer.md describes it and its limits.
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
  const char *path;  // as the kernel names it; valid during the call
  bool is_program;  // the file that was executed; false: a shared library
  bool is_command;  // the executed file that the host asked to start
};

/// The functions of one file to be watched.
struct fl_tracer_sites {
  uint32_t image;  // the host's number for the file; comes back in calls
  uint32_t count;  // number of addresses
  // Link-time addresses of functions, strictly ascending; each the first byte of an instruction.
  // Owned by the host; must live until the tracer is freed.
  const uint64_t *_Nullable addresses;
  // With FL_TRACER_RETURNS: the index of the function whose first argument is the address of `main`
  // (`__libc_start_main`). `main` is then watched as function 0 of image `main_image`, unless it is
  // watched already. UINT32_MAX: there is no such function.
  uint32_t main_argument, main_image;
};

/// Why a file's functions, or a process's, are not or no longer watched.
enum fl_tracer_problem {
  FL_TRACER_FILE_CHANGED,  // the file at the path is not the one that is mapped
  FL_TRACER_NO_ACCESS,  // its memory cannot be written; `error` says why
  FL_TRACER_NO_LOADER,  // the loader has no function that notifies of shared libraries
  FL_TRACER_CHILD_UNRECORDED,  // of a forked process: its memory cannot be opened; it runs on
  FL_TRACER_CHILD_KILLED,  // of a forked process: killed, as its breakpoints could not be removed
};

/// What to record besides first calls.
enum fl_tracer_flag {
  /// How calls end: an `fl_tracer_return` for each call, and each stop of each thread. Every
  /// executed program and every forked process has a record from its start. Needs
  /// `loader_breakpoint`.
  FL_TRACER_RETURNS = 1,
  /// The loader's work: its system calls from exec on, and its notifications of libraries.
  FL_TRACER_LOADING = 2,
  /// While the loader works, the program is pinned to the calling thread's CPU, and that thread
  /// stays on it until detached.
  FL_TRACER_PINNED = 4,
  /// The program is let go at its entry into a watched function that is not `main_argument`, if it
  /// has one thread then. `fl_tracer_step` still reports its end.
  FL_TRACER_UP_TO_MAIN = 8,
};

/// What the tracer asks its host. `context` is passed through.
struct fl_tracer_host {
  void *_Nullable context;
  /// Fills in `sites` and returns true if functions of this file are to be watched. Called each
  /// time the file is mapped; the host caches its answers.
  bool (*choose)(void *_Nullable context, const struct fl_tracer_file *file,
                 struct fl_tracer_sites *sites);
  /// The link-time address of the function that the loader at this path calls whenever it has
  /// mapped or unmapped shared libraries (`_dl_debug_state`); 0 if it has none. NULL: shared
  /// libraries are ignored. `state` receives the address of its `_r_debug`, or 0.
  uint64_t (*_Nullable loader_breakpoint)(void *_Nullable context, const char *path,
                                          uint64_t *state);
  /// Called at most once for each file of a process. `error`: an errno, or 0.
  void (*problem)(void *_Nullable context, enum fl_tracer_problem problem, const char *path,
                  int error);
  uint32_t flags;  // fl_tracer_flag
  /// With FL_TRACER_RETURNS: a watched function has returned; the process is stopped since `time`.
  /// True: watch the function again, and record each further call. NULL: never.
  bool (*_Nullable returned)(void *_Nullable context, pid_t process, uint32_t image,
                             uint32_t function, uint64_t time);
};

/// One first call. Its index in its process's list is its sequence.
struct fl_tracer_call {
  uint32_t image;  // the host's number
  uint32_t function;  // index in that image's addresses
  uint32_t thread;  // kernel thread id
  uint64_t time;  // CLOCK_MONOTONIC, ns, when the tracer saw it
};

/// How a call ended.
enum fl_tracer_ending {
  FL_TRACER_RUNNING,  // it had not returned when the recording or its thread ended
  FL_TRACER_RETURNED,  // seen to return
  FL_TRACER_UNWOUND,  // its frame was left without a return
  FL_TRACER_UNSEEN,  // it may have returned unseen
};

/// Page faults of a process so far.
struct fl_tracer_faults {
  uint32_t minor, major;
};

/// The rest of a call.
struct fl_tracer_return {
  int32_t parent;  // index of the call around it on its thread; -1: none
  uint8_t ending;  // fl_tracer_ending
  bool is_tail_call;  // entered by a jump from its parent, in whose frame it runs
  uint64_t argument;  // its first argument, if that is a number or an address
  uint64_t time;  // CLOCK_MONOTONIC, ns, when its return was seen; 0: unseen
  struct fl_tracer_faults before, after;  // at its entry and its return
};

/// CPU time of a thread, as the scheduler counts it.
struct fl_tracer_cpu_time {
  uint64_t ran;  // ns on a CPU
  uint64_t queued;  // ns waiting for a CPU
  uint64_t
      timeslices;  // how often it was given one: 1 if it had one all the time; 0: nothing is known
};

/// One stop of a thread. The time between `seen` and `resumed` is the tracer's.
struct fl_tracer_stop {
  uint32_t thread;
  uint32_t created;  // the thread or process that it announced; 0: none
  /// At the beginning or the end of a system call; else at a signal, mostly a breakpoint's, or at
  /// an event.
  bool is_system_call;
  uint64_t seen, resumed;  // CLOCK_MONOTONIC, ns
  /// Since the thread's stop before, or the request to start the program.
  struct fl_tracer_cpu_time cpu_time;
};

/// What happened at a moment.
enum fl_tracer_moment_kind {
  FL_TRACER_EXECUTED,  // the program is before its first instruction, or that of its loader
  FL_TRACER_SYSTEM_CALL,  // a system call of the loader is over
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
  uint64_t time;  // CLOCK_MONOTONIC, ns, when it was seen; of a system call: its end
  uint64_t began;  // of a system call: when its beginning was seen
  struct fl_tracer_faults faults;
  uint64_t ran;  // of FL_TRACER_EXIT: CPU time of the process, ns; 0: unknown
  uint32_t system_call;  // fl_tracer_system_call
  uint64_t arguments[5];  // of a system call, as its result
  int64_t result;
  uint32_t text;  // of a call that opens a file: offset of its path in the process's `texts`, + 1
};

/// An image of a process that is watched.
struct fl_tracer_image {
  uint32_t image;  // the host's number
  uint64_t load_bias;  // run-time address minus link-time address
};

/// One recorded process: from exec, or from its fork, to its end or the next exec.
struct fl_tracer_process {
  uint32_t pid;
  uint32_t parent_pid;
  int32_t forked_from;  // index of the recorded process it was forked from; -1: none
  uint32_t forked_at;  // that process's number of calls then
  uint64_t start;  // clock ticks since boot (/proc/PID/stat, field 22); 0: unknown
  uint64_t monotonic;  // CLOCK_MONOTONIC when its recording began, ns
  uint64_t realtime;  // CLOCK_REALTIME at the same moment, ns
  uint32_t drops;  // first calls that could not be kept for want of memory
  uint32_t unrecorded;  // processes forked from it whose calls could not be recorded
  uint32_t running;  // it, and processes forked from it without a record, if alive at the detaching
  const char *path;  // the executable
  const char *command;  // its arguments, each ended by NUL
  uint32_t command_size;
  uint32_t image_count;
  uint32_t call_count;
  const struct fl_tracer_image *_Nullable images;
  const struct fl_tracer_call *_Nullable calls;
  // As the flags ask for.
  uint64_t requested;  // CLOCK_MONOTONIC when its exec was requested, ns; 0: not known
  uint64_t requested_ran;  // its CPU time then, ns
  const struct fl_tracer_return *_Nullable returns;  // for each call
  const struct fl_tracer_stop *_Nullable stops;
  uint32_t stop_count;
  uint32_t moment_count;
  const struct fl_tracer_moment *_Nullable moments;
  const char *_Nullable texts;
};

/// How `fl_tracer_start` ended.
enum fl_tracer_start {
  FL_TRACER_STARTED,
  FL_TRACER_NOT_FOUND,  // the program cannot be started; errno says why
  FL_TRACER_NOT_ALLOWED,  // ptrace is refused, or not possible; errno says why
  FL_TRACER_NO_PROCESS,  // no process can be made; errno says why
};

struct fl_tracer;

/// Makes a tracer. The host's functions and context must outlive it. NULL with errno ENOMEM.
/// The caller owns it: `fl_tracer_free`.
struct fl_tracer *_Nullable fl_tracer_make(const struct fl_tracer_host *host);

/// Starts a program. Searches PATH as execvp does, without its fallback to a shell. The program
/// inherits this process's descriptors and has the signal mask `mask`. `arguments` and
/// `environment` end with NULL.
///
/// On success `fl_tracer_pid` is its process id, and SIGCHLD says when to call `fl_tracer_step`.
/// `streams`: its descriptors 0, 1 and 2; NULL: this process's. May be called once.
enum fl_tracer_start fl_tracer_start(struct fl_tracer *tracer,
                                     char *_Nullable const *_Nonnull arguments,
                                     char *_Nullable const *_Nonnull environment,
                                     const sigset_t *mask, const int *_Nullable streams);

/// Process id of the started program.
pid_t fl_tracer_pid(const struct fl_tracer *tracer);

/// Handles stops of tracees; never blocks. If more are left, sends this process SIGCHLD. Returns
/// true once the started program has ended, with its wait status in `status`; may be called further
/// for processes that it has left running.
bool fl_tracer_step(struct fl_tracer *tracer, int *status);

/// Number of traced processes that have not ended.
uint32_t fl_tracer_living(const struct fl_tracer *tracer);

/// Sends a signal to each traced process.
void fl_tracer_signal(struct fl_tracer *tracer, int signal);

/// Removes every breakpoint and detaches from all processes that still run. They go on as if never
/// traced. Blocks until each thread has stopped once, which takes microseconds.
void fl_tracer_detach(struct fl_tracer *tracer);

/// The number of recorded processes so far, and one of them. A process is recorded if one of its
/// images is watched; a forked one if it was the first to call some function. Owned by the tracer;
/// valid until the next call of `fl_tracer_step`, `fl_tracer_detach` or `fl_tracer_free`.
uint32_t fl_tracer_process_count(const struct fl_tracer *tracer);
struct fl_tracer_process fl_tracer_process_at(const struct fl_tracer *tracer, uint32_t index);

/// Makes processes whose parents end children of this process, not of init.
void fl_adopt_orphans(void);

/// CPU time of all threads of a process so far, ended ones included, ns; 0: not known.
uint64_t fl_tracer_process_cpu_time(pid_t process);

/// Frees the tracer, detaching first if tracees are left.
void fl_tracer_free(struct fl_tracer *tracer);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif
