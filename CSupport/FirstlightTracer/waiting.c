// Who waits for whom: what threads of one program do to each other by system calls.
//
// A thread that waits for one that stands still loses its time too, and how much, only the end of
// the waiting tells: whoever ended it by its own clock. Futexes name that; of other system calls,
// the one that was going on when the waiting ended.
//
// All threads have the tracer's processor meanwhile, as a stop takes a few microseconds there, and
// always the same; who would have run beside whom is found out later. A thread that asks which
// processors it has is given back those that it had, for as long as it asks.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "tracer.h"

/// Stops. Programs that make more calls would take too long: the rest of their waiting stays
/// unexplained.
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

/// Whose processors a system call is about; NULL: it is about nothing like it, or about others'.
static struct fl_task *asked_for(struct fl_tracer *tracer, struct fl_task *task,
                                 const struct __ptrace_syscall_info *call) {
  if (call->op != PTRACE_SYSCALL_INFO_ENTRY ||
      (call->entry.nr != SYS_sched_getaffinity && call->entry.nr != SYS_sched_setaffinity))
    return NULL;
  return call->entry.args[0] == 0 ? task : fl_task_find(tracer, (pid_t)call->entry.args[0]);
}

/// From here on nobody would see them ask for their processors.
static void unpin_all(struct fl_tracer *tracer) {
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      fl_task_unpin(task);
}

void fl_action_note(struct fl_tracer *tracer, struct fl_task *task,
                    const struct __ptrace_syscall_info *call) {
  if ((tracer->host.flags & FL_TRACER_WAITING) == 0) return;
  if (!task->is_loading && ++tracer->watched_calls == MOST_CALLS) unpin_all(tracer);
  struct fl_task *asked = asked_for(tracer, task, call);
  if (asked != NULL && asked->shares_tracer_cpu) {
    fl_task_unpin(asked);
    task->asks_for = asked->thread;
  } else if (call->op == PTRACE_SYSCALL_INFO_EXIT && task->asks_for != 0) {
    asked = fl_task_find(tracer, task->asks_for);
    if (asked != NULL && fl_watches_waits(tracer)) fl_task_pin_to_tracer_cpu(tracer, asked);
    task->asks_for = 0;
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
