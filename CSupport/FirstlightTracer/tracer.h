// The tracer's parts: one event loop, split by what an event is about.
#ifndef FL_TRACER_TRACER_H
#define FL_TRACER_TRACER_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#include "include/firstlight_tracer.h"
#include "cpu_time.h"
#include "record.h"
#include "shadow_stack.h"
#include "space.h"

/// What a thread is about to do at a stop.
struct fl_action {
  uint8_t kind;  // fl_tracer_action
  uint64_t object;
  int64_t value;
};

/// A traced thread.
struct fl_task {
  pid_t thread;
  pid_t process;
  struct fl_space *space;
  uint64_t mask;  // blocked signals when it last stopped
  bool mask_known;
  bool is_entering;  // told to stop at the beginning of a signal handler
  // As wished for.
  struct fl_shadow_stack calls;
  uint64_t stepped;  // address of the breakpoint that is out while it does one instruction; 0: none
  bool is_loading;  // in the loader, and told to stop at system calls
  bool is_relocating;  // of these, what comes after it has told that libraries have come
  struct fl_tracer_moment system_call;  // the one it is in
  int cpu_time_file;  // of its processor time; -1: not opened
  struct fl_tracer_cpu_time last_cpu_time;  // at its last stop
  struct fl_tracer_cpu_time cpu_time;  // between that and the one before
  struct fl_action action;  // what it is about to do there
  bool shares_tracer_cpu;  // is kept on the tracer's processor
  bool shared_tracer_cpu;  // was on it at this stop
  uint64_t restartable;  // address of its struct rseq, where the kernel says which processor it is
                         // on; 0: none
  cpu_set_t affinity;  // that it had before
  pid_t asks_for;  // whose processors it is asking for, so that they are as it had them; 0: none's
  struct fl_task *next;
};

/// A thread that has stopped before its creator's event told of it.
struct fl_orphan {
  pid_t thread;
  pid_t parent;  // by /proc then: a guess, should the creator die without telling
  int status;
  uint64_t seen;
  struct fl_orphan *next;
};

enum { FL_TASK_BUCKETS = 1024 };

/// What the child notes right before it asks for its exec.
struct fl_request {
  uint64_t time;  // CLOCK_MONOTONIC, ns
  struct fl_tracer_cpu_time used;
};

struct fl_tracer {
  struct fl_tracer_host host;
  pid_t command;  // process id of the started program
  bool command_executed;  // its first exec is over
  bool has_ended;
  bool is_detaching;
  int ending;  // its wait status
  struct fl_task *tasks[FL_TASK_BUCKETS];
  uint32_t task_count;
  struct fl_orphan *orphans;
  int cpu_time_file;  // of our own processor time; -1: not opened
  uint64_t queued;  // ns in which we had waited for a processor when we saw the stop
  uint32_t watched_calls;  // system calls at which threads were stopped, for their waiting
  struct fl_records records;
  uint64_t seen;  // CLOCK_MONOTONIC when the stop that is being handled was told of
  volatile struct fl_request *request;  // a page shared with the child
  bool is_pinned;  // we stay on one processor
  cpu_set_t affinity;  // that we had before
};

// tasks.c

struct fl_task *fl_task_find(struct fl_tracer *tracer, pid_t thread);
/// Adds a task that lives in `space`. NULL for want of memory.
struct fl_task *fl_task_add(struct fl_tracer *tracer, pid_t thread, pid_t process,
                            struct fl_space *space);
void fl_task_remove(struct fl_tracer *tracer, pid_t thread);
/// Removes all other threads of a process: an exec has ended them.
void fl_task_remove_others(struct fl_tracer *tracer, pid_t process);
/// Notes what a stopped thread has run since its last stop.
void fl_task_note_cpu_time(struct fl_task *task);

// family.c

/// A thread or process that `creator` made. Resumes it if it has stopped already, unless told not
/// to.
void fl_adopt(struct fl_tracer *tracer, struct fl_task *creator, pid_t thread, int event);
/// Notes a stop of a thread that is not known yet.
void fl_orphan_add(struct fl_tracer *tracer, pid_t thread, int status);
/// A thread has ended.
void fl_task_ended(struct fl_tracer *tracer, pid_t thread);

// processor.c

/// Notes how long we have waited for a processor so far: what stops was seen so much later.
void fl_tracer_note_queueing(struct fl_tracer *tracer);
/// Whether a stopped thread was on our processor, as far as it can be told.
bool fl_task_is_on_tracer_cpu(struct fl_task *task);
/// Keeps this thread on the processor that it is on. False if that cannot be; else `before` is for
/// `fl_cpu_unpin`.
bool fl_cpu_pin(cpu_set_t *before);
void fl_cpu_unpin(const cpu_set_t *before);
/// Keeps this thread off the processor that it is on, if there is another.
void fl_cpu_avoid(const cpu_set_t *allowed);
/// Gives a stopped thread our processor alone; and gives it back those that it had.
void fl_task_pin_to_tracer_cpu(struct fl_tracer *tracer, struct fl_task *task);
void fl_task_unpin(struct fl_task *task);

// calls.c

/// The record of a space, begun if need be; NULL for want of memory.
struct fl_record *fl_space_record(struct fl_tracer *tracer, struct fl_space *space);
/// A thread is at the beginning of a function that is watched.
void fl_call_entered(struct fl_tracer *tracer, struct fl_task *task,
                     const struct fl_mapped_image *image, uint32_t function);
/// A thread has hit the breakpoint of a place that calls return to, and is to go on from there.
void fl_return_site_hit(struct fl_tracer *tracer, struct fl_task *task,
                        struct fl_return_site *site);
/// A thread has done, or not done, the one instruction that a breakpoint was taken out for.
void fl_step_ended(struct fl_task *task);
/// A thread has ended, or executed another program: then its memory is gone.
void fl_calls_end(struct fl_task *task, bool memory_is_left);

// loading.c

/// The loader is at the begin or the end of a system call.
void fl_system_call(struct fl_tracer *tracer, struct fl_task *task);
/// Notes a moment, if that is wished for.
void fl_moment_note(struct fl_tracer *tracer, struct fl_task *task,
                    enum fl_tracer_moment_kind kind);
/// The thread does something else than relocating.
void fl_relocation_ended(struct fl_task *task);
/// The loader tells that libraries come or go.
void fl_loader_notified(struct fl_tracer *tracer, struct fl_task *task);

// waiting.c

/// Whether threads are to stop at their system calls, as they may wait for each other.
bool fl_watches_waits(const struct fl_tracer *tracer);
/// Notes what a thread's system call means to others that wait.
void fl_action_note(struct fl_tracer *tracer, struct fl_task *task,
                    const struct __ptrace_syscall_info *call);

// images.c

/// A process has executed a program: gives it a space of its own and plants it.
void fl_executed(struct fl_tracer *tracer, pid_t thread);
/// The loader has mapped or unmapped libraries.
void fl_libraries_changed(struct fl_tracer *tracer, struct fl_task *task);
/// The address of `main` is known: watches it as function 0 of `image`.
void fl_main_found(struct fl_tracer *tracer, struct fl_task *task, uint32_t image,
                   uint64_t address);

// trap.c

/// What to do with a SIGTRAP that a thread has stopped with.
enum fl_trap {
  FL_TRAP_OURS,  // a breakpoint: handled, the program is not to see it
  FL_TRAP_FOREIGN,  // the program's own: deliver it
  FL_TRAP_BLOCKED,  // both in one: the program's own stays pending, since it is blocked
};
enum fl_trap fl_handle_trap(struct fl_tracer *tracer, struct fl_task *task);
/// Reads the mask of a stopped thread for later comparison.
void fl_mask_note(struct fl_task *task);
/// Delivers a signal to the program. Where that begins a handler in which SIGTRAP is blocked,
/// though the program handles SIGTRAP too, unblocks it there, for `fl_handler_entered` to see to.
void fl_deliver_signal(struct fl_tracer *tracer, struct fl_task *task, int signal);
void fl_handler_entered(struct fl_tracer *tracer, struct fl_task *task);
/// Whether a thread has a breakpoint's SIGTRAP pending that it has not stopped with yet.
bool fl_trap_is_pending(pid_t thread);
/// Whether a thread that has stopped with SIGTRAP did so since it was to do one instruction.
bool fl_step_is_over(struct fl_task *task);

// detach.c

/// Handles a stop while the tracer lets go of everything.
void fl_detach_stopped(struct fl_tracer *tracer, struct fl_task *task, int status);

// tracer.c

/// ptrace options of every tracee; with `kill` it is killed if we die, since the breakpoints in its
/// memory would kill it otherwise, later and looking like a fault of its own.
long fl_ptrace_options(const struct fl_tracer *tracer, bool kill);
/// Lets a thread go on, with a signal or 0.
void fl_resume(const struct fl_tracer *tracer, struct fl_task *task, int signal);
/// Handles one answer of waitpid.
void fl_handle_event(struct fl_tracer *tracer, pid_t thread, int status, uint64_t seen);

#endif
