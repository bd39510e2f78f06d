// A thread also loses time while it waits for a thread that stands still at a stop. How much only
// shows when the wait ends: by the clock of the thread that ended it. Futexes identify that thread;
// for other system calls it is the one whose call was going on when the wait ended.
//
// All threads run on the tracer's CPU meanwhile: a stop takes a few microseconds there, always the
// same. Which threads would have run in parallel is computed later. A thread that queries its
// affinity gets the original one for the duration of that call.
#define _GNU_SOURCE
#include "waiting.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "cpu.h"
#include "tasks.h"

/// The limit of stops. Programs that make more calls would take too long; the rest of their waiting
/// stays unexplained.
enum { MOST_CALLS = 100000 };

bool fl_watches_waits(const struct fl_tracer *tracer) {
  return (tracer->host.flags & FL_TRACER_WAITING) != 0 && tracer->watched_calls < MOST_CALLS;
}

static enum fl_tracer_action futex_action(uint64_t operation) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2: return FL_TRACER_WAITS;
    case FUTEX_TRYLOCK_PI: return FL_TRACER_CALLS;
    default: return FL_TRACER_WAKES;
  }
}

static enum fl_tracer_action action_of(uint64_t number) {
  switch (number) {
    case SYS_wait4:
    case SYS_waitid: return FL_TRACER_AWAITS_PROCESS;
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_connect:
    case SYS_close:
    case SYS_shutdown:
    case SYS_splice:
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill: return FL_TRACER_SENDS;
    case SYS_nanosleep:
    case SYS_clock_nanosleep: return FL_TRACER_SLEEPS;
    default: return FL_TRACER_CALLS;
  }
}

/// The thread whose affinity a system call reads or sets; NULL: none that is traced.
static struct fl_task *affinity_subject(struct fl_tracer *tracer, struct fl_task *task,
                                        const struct __ptrace_syscall_info *call) {
  if (call->op != PTRACE_SYSCALL_INFO_ENTRY ||
      (call->entry.nr != SYS_sched_getaffinity && call->entry.nr != SYS_sched_setaffinity))
    return NULL;
  return call->entry.args[0] == 0 ? task : fl_task_find(tracer, (pid_t)call->entry.args[0]);
}

/// To be called when threads no longer stop at system calls, so that queries of affinity go unseen.
static void unpin_all(struct fl_tracer *tracer) {
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      fl_task_unpin(task);
}

void fl_action_note(struct fl_tracer *tracer, struct fl_task *task,
                    const struct __ptrace_syscall_info *call) {
  if ((tracer->host.flags & FL_TRACER_WAITING) == 0) return;
  if (!task->is_loading && ++tracer->watched_calls == MOST_CALLS) unpin_all(tracer);
  struct fl_task *subject = affinity_subject(tracer, task, call);
  if (subject != NULL && subject->shares_tracer_cpu) {
    fl_task_unpin(subject);
    task->queries_affinity_of = subject->thread;
  } else if (call->op == PTRACE_SYSCALL_INFO_EXIT && task->queries_affinity_of != 0) {
    subject = fl_task_find(tracer, task->queries_affinity_of);
    if (subject != NULL && fl_watches_waits(tracer)) fl_task_pin_to_tracer_cpu(tracer, subject);
    task->queries_affinity_of = 0;
  }
  if (call->op == PTRACE_SYSCALL_INFO_EXIT) {
    task->action = (struct fl_action){.kind = FL_TRACER_RETURNS_FROM, .value = call->exit.rval};
  } else if (call->op == PTRACE_SYSCALL_INFO_ENTRY && call->entry.nr == SYS_futex) {
    task->action = (struct fl_action){.kind = futex_action(call->entry.args[1]),
                                      .object = call->entry.args[0],
                                      .value = (int32_t)call->entry.args[2]};
  } else if (call->op == PTRACE_SYSCALL_INFO_ENTRY) {
    task->action = (struct fl_action){.kind = action_of(call->entry.nr)};
  }
}
