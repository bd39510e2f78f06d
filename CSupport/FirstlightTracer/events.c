#define _GNU_SOURCE
#include "events.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "calls.h"
#include "child_memory.h"
#include "cpu.h"
#include "exec.h"
#include "family.h"
#include "loading.h"
#include "plant.h"
#include "process_file.h"
#include "resume.h"
#include "tasks.h"
#include "trap.h"
#include "untraced.h"

/// The signal of a stop at a system call, marked by PTRACE_O_TRACESYSGOOD.
enum { SYSTEM_CALL_STOP = SIGTRAP | 0x80 };

/// Adds a thread or process that `creator` has created, and handles an earlier first stop.
static void adopt(struct fl_tracer *tracer, struct fl_task *creator, pid_t thread, int event) {
  struct fl_orphan stopped;
  if (!fl_adopt(tracer, creator, thread, event, &stopped)) return;
  uint64_t seen = tracer->seen;
  fl_handle_event(tracer, thread, stopped.status, stopped.seen);
  tracer->seen = seen;
}

static void handle_end(struct fl_tracer *tracer, pid_t thread, int status) {
  fl_orphan_remove(tracer, thread);
  fl_task_remove(tracer, thread);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP)
    tracer->trapped[tracer->trapped_count++ % FL_TRAPPED] = thread;
  if (thread != tracer->command) return;
  tracer->has_ended = true;
  tracer->ending = status;
}

static bool is_stop_signal(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/// Handles a thread's stop by a signal.
static void handle_signal(struct fl_tracer *tracer, struct fl_task *task, int signal) {
  if (signal == SYSTEM_CALL_STOP) {
    fl_system_call(tracer, task);
    fl_resume(task, 0);
    return;
  }
  if (signal == SIGTRAP && task->is_entering) {
    fl_handler_entered(task);
    return;
  }
  if (signal == SIGCHLD) fl_child_end_note(tracer, task);
  task->is_entering = false;
  enum fl_trap trap = signal == SIGTRAP ? fl_handle_trap(tracer, task) : FL_TRAP_FOREIGN;
  if (trap == FL_TRAP_FOREIGN) fl_deliver_signal(task, signal);
  else fl_resume(task, trap == FL_TRAP_OURS ? 0 : signal);
}

/// Notes that a thread is about to wait for its child, where it cannot be detached. Only the
/// tracer's end detaches it, so that must not kill it: the option can be changed now.
static void enter_vfork(struct fl_tracer *tracer, struct fl_task *task) {
  task->is_within_vfork = true;
  ptrace(PTRACE_SETOPTIONS, task->thread, NULL, fl_ptrace_options(tracer, false));
}

static void leave_vfork(struct fl_tracer *tracer, struct fl_task *task) {
  task->is_within_vfork = false;
  bool has_breakpoints = task->space->memory >= 0;
  ptrace(PTRACE_SETOPTIONS, task->thread, NULL, fl_ptrace_options(tracer, has_breakpoints));
}

/// Checks the breakpoints if a thread's end is its process's.
static void note_exit(struct fl_tracer *tracer, struct fl_task *task) {
  struct user_regs_struct registers;
  long number = 0;
  uint64_t code;
  struct fl_space *space = task->space;
  if (!task->is_ending) space->ending++;
  task->is_ending = true;
  if (fl_registers_get(task->thread, &registers))
    fl_registers_current_call(&registers, &number, &code);
  // exit(2) ends a thread; exit_group(2) and signals end all.
  if (number != SYS_exit || space->ending == space->tasks) fl_check(tracer, space);
}

/// Handles a stop of a known thread. Returns the thread or process that the stop announced, or 0.
static pid_t handle_stop(struct fl_tracer *tracer, struct fl_task *task, int status) {
  int event = status >> 16;
  int signal = WSTOPSIG(status);
  unsigned long created = 0;
  if (task->stepped != 0) {
    bool is_over = event == 0 && signal == SIGTRAP && fl_step_is_over(task);
    fl_step_ended(task);
    if (is_over) {
      fl_resume(task, 0);
      return 0;
    }
  }
  switch (event) {
    case 0: handle_signal(tracer, task, signal); return 0;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
      if (ptrace(PTRACE_GETEVENTMSG, task->thread, NULL, &created) == 0)
        adopt(tracer, task, (pid_t)created, event);
      if (event == PTRACE_EVENT_VFORK) enter_vfork(tracer, task);
      break;
    case PTRACE_EVENT_STOP:
      if (is_stop_signal(signal)) {
        // A process stopped by job control stays stopped until SIGCONT.
        if (task->thread == tracer->command) tracer->stopped_by = signal;
        ptrace(PTRACE_LISTEN, task->thread, NULL, NULL);
        return 0;
      }
      break;
    case PTRACE_EVENT_SECCOMP: fl_untraced_take_off(task->thread); break;
    case PTRACE_EVENT_EXIT:
      note_exit(tracer, task);
      fl_moment_note(tracer, task, FL_TRACER_EXIT);
      break;
    default: break;
  }
  fl_resume(task, 0);
  return (pid_t)created;
}

static void detach(struct fl_tracer *tracer, pid_t thread, int signal) {
  fl_count_running(tracer, fl_task_find(tracer, thread));
  ptrace(PTRACE_DETACH, thread, NULL, (void *)(long)signal);
  fl_task_remove(tracer, thread);
}

/// Removes the breakpoints of a process that is left running. False: failed, the process is killed.
static bool is_clear(struct fl_tracer *tracer, struct fl_task *task) {
  unsigned long ignored;
  if (fl_space_restore(task->space, task->thread)) return true;
  // Another process may have killed it meanwhile.
  if (ptrace(PTRACE_GETEVENTMSG, task->thread, NULL, &ignored) != 0) return false;
  fl_report_unrecorded(tracer, task->space, errno, false);
  kill(task->process, SIGKILL);
  return false;
}

/// Handles a stop while the tracer detaches from all threads.
static void handle_stop_detaching(struct fl_tracer *tracer, struct fl_task *task, int status) {
  pid_t thread = task->thread;
  int signal = WSTOPSIG(status);
  unsigned long created;
  // The memory may be a copy from before the breakpoints were removed, or one that only stopped
  // threads can write.
  if (status >> 16 != PTRACE_EVENT_EXEC && status >> 16 != PTRACE_EVENT_EXIT &&
      !is_clear(tracer, task))
    return;
  // A step over a breakpoint or into a handler caused this SIGTRAP. Do not deliver it.
  if (status >> 16 == 0 && signal == SIGTRAP &&
      (task->is_entering || (task->stepped != 0 && fl_step_is_over(task)))) {
    detach(tracer, thread, 0);
    return;
  }
  task->stepped = 0;
  switch (status >> 16) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
      // The new thread may have stopped before its creator, and may have been detached.
      if (ptrace(PTRACE_GETEVENTMSG, thread, NULL, &created) == 0 &&
          fl_status_number((pid_t)created, "TracerPid:", 10) != 0)
        adopt(tracer, task, (pid_t)created, status >> 16);
      detach(tracer, thread, 0);
      return;
    case PTRACE_EVENT_EXEC: detach(tracer, thread, 0); return;
    case 0:
      if (signal == SYSTEM_CALL_STOP) signal = 0;
      if (signal == SIGTRAP && fl_handle_trap(tracer, task) == FL_TRAP_OURS) signal = 0;
      detach(tracer, thread, signal);
      return;
    case PTRACE_EVENT_STOP:
      // The thread has hit a breakpoint but not reported it. Detached now, it would die of SIGTRAP.
      if (fl_trap_is_pending(thread)) ptrace(PTRACE_CONT, thread, NULL, NULL);
      else detach(tracer, thread, 0);
      return;
    default: detach(tracer, thread, 0);
  }
}

static void record_stop(const struct fl_task *task, uint64_t seen, pid_t created) {
  struct fl_tracer_stop stop = {
      .thread = (uint32_t)task->thread,
      .created = (uint32_t)created,
      .seen = seen,
      .resumed = task->resumed >= seen ? task->resumed : fl_now(CLOCK_MONOTONIC)};
  fl_record_add_stop(task->space->record, &stop);
}

/// Handles an exec. Returns the task of the new program; NULL if memory is exhausted.
static struct fl_task *handle_exec(struct fl_tracer *tracer, pid_t thread) {
  fl_executed(tracer, thread);
  struct fl_task *task = fl_task_find(tracer, thread);
  if (task == NULL) {
    ptrace(PTRACE_CONT, thread, NULL, NULL);
    return NULL;
  }
  // The thread gets its own CPUs back when the loader has finished.
  if (task->space->loader != 0) fl_task_pin_to_tracer_cpu(tracer, task);
  fl_resume(task, 0);
  return task;
}

/// Handles a stop of a thread that has not been announced yet.
static void handle_unknown(struct fl_tracer *tracer, pid_t thread, int status) {
  if (status >> 16 == PTRACE_EVENT_EXIT) {  // killed before it was announced
    fl_orphan_remove(tracer, thread);
    ptrace(PTRACE_CONT, thread, NULL, NULL);
    return;
  }
  pid_t process = (pid_t)fl_status_number(thread, "Tgid:", 10);
  if (process == thread) {
    if (fl_adopt_unannounced(tracer, thread)) fl_handle_event(tracer, thread, status, tracer->seen);
  } else if (tracer->is_detaching) {
    // The memory of its process has no breakpoints any more. Its creator may have died without an
    // announcement, and the held thread would keep the process from ending.
    ptrace(PTRACE_DETACH, thread, NULL, NULL);
  } else {
    fl_orphan_add(tracer, thread, status);
  }
}

void fl_handle_event(struct fl_tracer *tracer, pid_t thread, int status, uint64_t seen) {
  if (!WIFSTOPPED(status)) {
    handle_end(tracer, thread, status);
    return;
  }
  tracer->seen = seen;
  struct fl_task *task = fl_task_find(tracer, thread);
  pid_t created = 0;
  if (task != NULL && task->is_within_vfork) leave_vfork(tracer, task);
  if (task != NULL && task->is_unsettled && status >> 16 != PTRACE_EVENT_EXIT) {
    task->is_unsettled = false;
    if (!fl_child_memory_settle(tracer, task)) return;
  }
  if (status >> 16 == PTRACE_EVENT_EXEC && !tracer->is_detaching) {
    task = handle_exec(tracer, thread);
  } else if (task == NULL) {
    handle_unknown(tracer, thread, status);
  } else if (tracer->is_detaching) {
    handle_stop_detaching(tracer, task, status);
    return;
  } else {
    created = handle_stop(tracer, task, status);
  }
  if (task == NULL || task->space->record == NULL || tracer->host.flags == 0) return;
  record_stop(task, seen, created);
  if (!task->is_leaving) return;
  ptrace(PTRACE_DETACH, thread, NULL, NULL);
  fl_task_remove(tracer, thread);
}

void fl_cost_add(struct fl_tracer *tracer, uint64_t stopped) {
  tracer->cost.stops++;
  tracer->cost.total += stopped;
  if (stopped > tracer->cost.longest) tracer->cost.longest = stopped;
}

void fl_handle_now(struct fl_tracer *tracer, pid_t thread, int status) {
  uint64_t seen = fl_now(CLOCK_MONOTONIC);
  fl_handle_event(tracer, thread, status, seen);
  if (WIFSTOPPED(status)) fl_cost_add(tracer, fl_now(CLOCK_MONOTONIC) - seen);
}
