// Records the first calls of a program that was not built for it, by one-shot breakpoints.
//
// The host (the command line tool) says which functions of which files to watch; the tracer starts
// the program under ptrace, follows all its threads, forks and execs, and keeps for each process
// the order in which it entered those functions. Documentation/Tracer.md says how and where it
// ends.
//
// Not thread-safe, and more: the kernel ties tracees to the thread that started them, so every
// function here is to be called by the thread that called `fl_tracer_start`. While a tracer lives,
// it owns the answers of waitpid(-1): the host must have no other children.
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
  bool is_program;   // the file that was executed; false: a shared library
  bool is_command;   // of these, the one that the host asked to start
};

/// The functions of one file to be watched.
struct fl_tracer_sites {
  uint32_t image;             // the host's number for the file; comes back in calls
  uint32_t count;             // number of addresses
  // Link-time addresses of functions, rising, none twice; each the first byte of an instruction.
  // The host's; must live until the tracer is freed.
  const uint64_t *_Nullable addresses;
  // With FL_TRACER_RETURNS: the function among them whose first argument is the address of `main`
  // (`__libc_start_main`), which is then watched as function 0 of image `main_image`. A function
  // that is watched already stays what it is. No such function: UINT32_MAX.
  uint32_t main_argument, main_image;
};

/// Why a file's functions are not watched, or no longer.
enum fl_tracer_problem {
  FL_TRACER_FILE_CHANGED,  // at the path lies another file than the one that is mapped
  FL_TRACER_NO_ACCESS,  // its memory cannot be written; `error` tells why
  FL_TRACER_NO_LOADER,  // no place in the loader that would tell of shared libraries
};

/// What a recording is to tell beside first calls.
enum fl_tracer_flag {
  /// How calls end: `fl_tracer_return` for each, and each stop of each thread. Every executed
  /// program
  /// and every forked process then has a record from its start on. Needs `loader_breakpoint`.
  FL_TRACER_RETURNS = 1,
  /// The loader's work: its system calls from exec to its end, and when it tells of libraries.
  /// While
  /// it is at work, the program has the calling thread's processor, on which that stays until
  /// detached.
  FL_TRACER_LOADING = 2,
  /// The command's first process and thread alone, which stop at their end and no sooner: only for
  /// hosts that watch no function.
  FL_TRACER_ALONE = 4,
  /// Who waits for whom: all threads stop at their system calls, and have the calling thread's
  /// processor
  /// as with FL_TRACER_LOADING, to the end. Needs that.
  FL_TRACER_WAITING = 8,
};

/// What the tracer asks its host. `context` is handed through.
struct fl_tracer_host {
  void *_Nullable context;
  /// Fills `sites` and returns true if functions of this file are to be watched. Asked once for
  /// each time the file is mapped; the host keeps its answers.
  bool (*choose)(void *_Nullable context, const struct fl_tracer_file *file,
                 struct fl_tracer_sites *sites);
  /// The link-time address of the function that the loader at this path calls whenever it has
  /// mapped or unmapped shared libraries (`_dl_debug_state`); 0 if it has none. NULL: shared
  /// libraries are not looked at. `state`: to be set to the address of its `_r_debug`, or 0.
  uint64_t (*_Nullable loader_breakpoint)(void *_Nullable context, const char *path,
                                          uint64_t *state);
  /// Told at most once for each file of a process. `error`: an errno, or 0.
  void (*problem)(void *_Nullable context, enum fl_tracer_problem problem, const char *path,
                  int error);
  uint32_t flags;  // of `fl_tracer_flag`
  /// With FL_TRACER_RETURNS: a watched function is about to return; the process stands still,
  /// `time` is when it stopped. True: watch the function again, each further call is a record of
  /// its own. NULL: never.
  bool (*_Nullable returned)(void *_Nullable context, pid_t process, uint32_t image,
                             uint32_t function, uint64_t time);
};

/// One first call. Its place in its process's list is its sequence.
struct fl_tracer_call {
  uint32_t image;  // the host's number
  uint32_t function;  // index in that image's addresses
  uint32_t thread;  // kernel thread id
  uint64_t time;  // CLOCK_MONOTONIC, ns, when the tracer saw it
};

/// What is known of the end of a call.
enum fl_tracer_ending {
  FL_TRACER_RUNNING,  // it had not returned when the recording ended, or its thread did
  FL_TRACER_RETURNED,  // seen to return
  FL_TRACER_UNWOUND,  // its frame was left without a return
  FL_TRACER_UNSEEN,  // it may have returned without being seen to
};

/// Page faults of a process so far.
struct fl_tracer_faults {
  uint32_t minor, major;
};

/// How a call went on.
struct fl_tracer_return {
  int32_t parent;  // index of the call around it on its thread; -1: none
  uint8_t ending;  // fl_tracer_ending
  bool is_tail_call;  // it was entered by a jump from its parent, in whose frame it runs
  uint64_t argument;  // its first argument, if that is a number or an address
  uint64_t time;  // CLOCK_MONOTONIC, ns, when its return was seen; 0: it was not
  struct fl_tracer_faults before, after;  // at its entry and its return
};

/// What a thread had of the processors, as the scheduler counts it.
struct fl_tracer_cpu_time {
  uint64_t ran;  // ns on a processor
  uint64_t queued;  // ns in which it waited for one
  uint64_t
      timeslices;  // how often it was given one: 1 if it had one all the time; 0: nothing is known
};

/// What a thread is about to do at a stop, as far as others may wait for it or it for them.
enum fl_tracer_action {
  FL_TRACER_NO_ACTION,
  FL_TRACER_WAITS,  // on a futex: `object` is its address, `value` what it expects there
  FL_TRACER_WAKES,  // those that wait on a futex: `object` is its address
  FL_TRACER_AWAITS_PROCESS,  // the end of a child
  FL_TRACER_SENDS,  // writes, sends, closes, signals: may end what another waits for
  FL_TRACER_SLEEPS,  // for a time
  FL_TRACER_CALLS,  // another system call
  FL_TRACER_RETURNS_FROM,  // the system call is over: `value` is its result
  FL_TRACER_ENDS,  // the thread is about to end
};

/// One stop of a thread: the time in between is the tracer's.
struct fl_tracer_stop {
  uint32_t thread;
  uint32_t created;  // the thread or process that it told of; 0: none
  bool
      is_system_call;  // at its begin or its end; else a signal, mostly a breakpoint's, or an event
  bool shares_tracer_cpu;  // since the stop before on the tracer's processor
  uint8_t action;  // fl_tracer_action
  uint64_t seen, resumed;  // CLOCK_MONOTONIC, ns
  uint64_t tracer_queued;  // ns in which the tracer had waited for a processor by then, in all
  struct fl_tracer_cpu_time
      cpu_time;  // since the thread's stop before, or the request to start the program
  uint64_t object;
  int64_t value;
};

/// What a moment is of.
enum fl_tracer_moment_kind {
  FL_TRACER_EXECUTED,  // the program stands before its first instruction, or that of its loader
  FL_TRACER_SYSTEM_CALL,  // the loader's, when it is over
  FL_TRACER_LIBRARIES,  // the loader tells that libraries come or go, or that they have
  FL_TRACER_EXIT,  // a thread is about to end
};

/// System calls of a loader that tell what it is at.
enum fl_tracer_system_call {
  FL_TRACER_OTHER_CALL,
  FL_TRACER_OPEN,
  FL_TRACER_MAP,
  FL_TRACER_PROTECT,
  FL_TRACER_CLOSE,
};

/// Something that happened on the way, beside calls.
struct fl_tracer_moment {
  uint32_t kind;
  uint32_t thread;
  uint64_t time;  // CLOCK_MONOTONIC, ns, when it was seen; of a system call: its end
  uint64_t began;  // of a system call: when its begin was seen
  struct fl_tracer_faults faults;
  uint64_t ran;  // of FL_TRACER_EXIT: ns on a processor of all threads of the process; 0: unknown
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
  const char *path;  // the executable
  const char *command;  // its arguments, each ended by NUL
  uint32_t command_size;
  uint32_t image_count;
  uint32_t call_count;
  const struct fl_tracer_image *_Nullable images;
  const struct fl_tracer_call *_Nullable calls;
  // As wished for.
  uint64_t requested;  // CLOCK_MONOTONIC when its exec was asked for, ns; 0: not known
  uint64_t requested_ran;  // ns that it had been on a processor then
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
  FL_TRACER_NOT_FOUND,  // the program cannot be started; errno tells why
  FL_TRACER_NOT_ALLOWED,  // ptrace is refused, or not possible; errno tells why
  FL_TRACER_NO_PROCESS,  // no process can be made; errno tells why
};

struct fl_tracer;

/// Makes a tracer. The host's functions and context must outlive it. NULL with errno ENOMEM.
/// The caller owns it: `fl_tracer_free`.
struct fl_tracer *_Nullable fl_tracer_make(const struct fl_tracer_host *host);

/// Starts a program: searched for in PATH as execvp does, without its fallback to a shell; with
/// this process's descriptors and with the signal mask `mask`. `arguments` and `environment` end
/// with NULL.
///
/// On success `fl_tracer_pid` is its process id, and SIGCHLD tells when to call `fl_tracer_step`.
/// `streams`: what becomes its descriptors 0, 1 and 2; NULL: what is ours. May be called once.
enum fl_tracer_start fl_tracer_start(struct fl_tracer *tracer,
                                     char *_Nullable const *_Nonnull arguments,
                                     char *_Nullable const *_Nonnull environment,
                                     const sigset_t *mask, const int *_Nullable streams);

/// Process id of the started program.
pid_t fl_tracer_pid(const struct fl_tracer *tracer);

/// Handles what tracees wait for; never blocks. If more is left, sends this process SIGCHLD.
/// Returns true once the started program has ended, with its wait status in `status`; may be called
/// on for the processes that it has left.
bool fl_tracer_step(struct fl_tracer *tracer, int *status);

/// Number of traced processes that have not ended.
uint32_t fl_tracer_living(const struct fl_tracer *tracer);

/// Sends a signal to each traced process.
void fl_tracer_signal(struct fl_tracer *tracer, int signal);

/// Lets go of all processes that still run: takes back every breakpoint, then detaches. They go on
/// as if never traced. Blocks until each thread has stopped once, which takes microseconds.
void fl_tracer_detach(struct fl_tracer *tracer);

/// Number of recorded processes so far, and one of them. A process is recorded if an image of it is
/// watched; a forked one, if it was the first to call some function. Valid until the next call of
/// `fl_tracer_step`, `fl_tracer_detach` or `fl_tracer_free`; the tracer owns it all.
uint32_t fl_tracer_process_count(const struct fl_tracer *tracer);
struct fl_tracer_process fl_tracer_process_at(const struct fl_tracer *tracer, uint32_t index);

/// Processes whose parents end become children of this process, not of init.
void fl_adopt_orphans(void);

/// Nanoseconds on a processor of all threads of a process so far, ended ones too; 0: not known.
uint64_t fl_tracer_process_cpu_time(pid_t process);

/// Processors that the started program may run on: those that are ours.
uint32_t fl_tracer_cpu_count(void);

/// What a stop costs a thread beside the time that `fl_tracer_stop` tells, ns.
struct fl_tracer_stop_cost {
  uint64_t before, after;  // until the tracer has seen it, and from its resumption on
  uint64_t system_call;  // of one at a system call, both
  /// Of that, what the thread spends on its processor: any stop, one at a system call.
  uint64_t running, system_call_running;
  uint64_t waking;  // `before`, where the tracer had slept
};

/// Measures that on a child that does `count` rounds of each kind of stop, beside as many without.
/// Waits as hosts should: SIGCHLD, which has to be blocked, then waitpid. Returns 0 or an errno.
/// `shares_tracer_cpu`: with the child on our processor.
int fl_tracer_measure_stop(uint32_t count, bool shares_tracer_cpu,
                           struct fl_tracer_stop_cost *cost);

/// Frees the tracer, detaching first if tracees are left.
void fl_tracer_free(struct fl_tracer *tracer);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif
