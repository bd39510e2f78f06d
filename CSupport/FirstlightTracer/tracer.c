#define _GNU_SOURCE
#include "process_file.h"
#include "tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOPS_AT_ONCE = 1024 };

struct fl_tracer *fl_tracer_make(const struct fl_tracer_host *host) {
  struct fl_tracer *tracer = calloc(1, sizeof *tracer);
  if (tracer == NULL) return NULL;
  tracer->host = *host;
  tracer->cpu_time_file = -1;
  return tracer;
}

pid_t fl_tracer_pid(const struct fl_tracer *tracer) { return tracer->command; }

uint32_t fl_tracer_process_count(const struct fl_tracer *tracer) { return tracer->records.count; }

struct fl_tracer_process fl_tracer_process_at(const struct fl_tracer *tracer, uint32_t index) {
  return tracer->records.items[index]->process;
}

void fl_tracer_free(struct fl_tracer *tracer) {
  fl_tracer_detach(tracer);
  fl_records_free(&tracer->records);
  if (tracer->request != NULL) munmap((void *)tracer->request, sizeof *tracer->request);
  if (tracer->cpu_time_file >= 0) close(tracer->cpu_time_file);
  free(tracer);
}

long fl_ptrace_options(const struct fl_tracer *tracer, bool kill) {
  long options = kill ? PTRACE_O_EXITKILL : 0;
  if ((tracer->host.flags & FL_TRACER_ALONE) == 0)
    options |= PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
  if (tracer->host.flags != 0) options |= PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD;
  return options;
}

static bool is_stop_signal(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

void fl_resume(const struct fl_tracer *tracer, struct fl_task *task, int signal) {
  enum __ptrace_request how = task->stepped != 0                             ? PTRACE_SINGLESTEP
                              : task->is_loading || fl_watches_waits(tracer) ? PTRACE_SYSCALL
                                                                             : PTRACE_CONT;
  // A failure means that the thread has been killed meanwhile: its end will be told.
  ptrace(how, task->thread, NULL, (void *)(long)signal);
}

/// Handles a signal that a thread has stopped with.
static void handle_signal(struct fl_tracer *tracer, struct fl_task *task, int signal) {
  if (signal == (SIGTRAP | 0x80)) {
    fl_system_call(tracer, task);
    fl_resume(tracer, task, 0);
    return;
  }
  if (signal == SIGTRAP && task->is_entering) {
    fl_handler_entered(tracer, task);
    return;
  }
  task->is_entering = false;
  enum fl_trap trap = signal == SIGTRAP ? fl_handle_trap(tracer, task) : FL_TRAP_FOREIGN;
  if (trap == FL_TRAP_FOREIGN) fl_deliver_signal(tracer, task, signal);
  else fl_resume(tracer, task, trap == FL_TRAP_OURS ? 0 : signal);
}

/// Handles a stop of a thread that is known. Returns the thread or process it told of, or 0.
static pid_t handle_stop(struct fl_tracer *tracer, struct fl_task *task, int status) {
  int event = status >> 16;
  int signal = WSTOPSIG(status);
  unsigned long created = 0;
  if (task->stepped != 0) {
    bool is_over = event == 0 && signal == SIGTRAP && fl_step_is_over(task);
    fl_step_ended(task);
    if (is_over) {
      fl_resume(tracer, task, 0);
      return 0;
    }
  }
  switch (event) {
    case 0: handle_signal(tracer, task, signal); return 0;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
      if (ptrace(PTRACE_GETEVENTMSG, task->thread, NULL, &created) == 0)
        fl_adopt(tracer, task, (pid_t)created, event);
      break;
    case PTRACE_EVENT_STOP:
      fl_mask_note(task);
      if (is_stop_signal(signal)) {
        // Stopped by job control: stays so until SIGCONT.
        ptrace(PTRACE_LISTEN, task->thread, NULL, NULL);
        return 0;
      }
      break;
    case PTRACE_EVENT_EXIT:
      task->action.kind = FL_TRACER_ENDS;
      fl_moment_note(tracer, task, FL_TRACER_EXIT);
      break;
    default: break;
  }
  fl_resume(tracer, task, 0);
  return (pid_t)created;
}

void fl_handle_event(struct fl_tracer *tracer, pid_t thread, int status, uint64_t seen) {
  if (!WIFSTOPPED(status)) {
    fl_task_ended(tracer, thread);
    if (thread == tracer->command) {
      tracer->has_ended = true;
      tracer->ending = status;
    }
    return;
  }
  tracer->seen = seen;
  if (tracer->host.flags != 0) fl_tracer_note_queueing(tracer);
  struct fl_task *task;
  pid_t created = 0;
  if (status >> 16 == PTRACE_EVENT_EXEC && !tracer->is_detaching) {
    fl_executed(tracer, thread);
    if ((task = fl_task_find(tracer, thread)) != NULL) {
      if (tracer->host.flags != 0) fl_task_note_cpu_time(task);
      if (task->is_loading || fl_watches_waits(tracer)) fl_task_pin_to_tracer_cpu(tracer, task);
      fl_resume(tracer, task, 0);
    } else {
      ptrace(PTRACE_CONT, thread, NULL, NULL);
    }
  } else if ((task = fl_task_find(tracer, thread)) == NULL && tracer->is_detaching &&
             fl_status_number(thread, "Tgid:", 10) != (uint64_t)thread) {
    // Its process's memory is put right already. Held until its creator tells of it, which may be
    // dead, it would keep the process from ending, and we wait for that end.
    ptrace(PTRACE_DETACH, thread, NULL, NULL);
  } else if (task == NULL) {
    fl_orphan_add(tracer, thread, status);
  } else if (tracer->is_detaching) {
    fl_detach_stopped(tracer, task, status);
    return;
  } else {
    if (tracer->host.flags != 0) fl_task_note_cpu_time(task);
    task->action = (struct fl_action){0};
    created = handle_stop(tracer, task, status);
  }
  if (task == NULL || task->space->record == NULL || tracer->host.flags == 0) return;
  struct fl_tracer_stop stop = {
      .thread = (uint32_t)thread,
      .created = (uint32_t)created,
      .is_system_call = status >> 16 == 0 && WSTOPSIG(status) == (SIGTRAP | 0x80),
      .shares_tracer_cpu = task->shared_tracer_cpu,
      .action = task->action.kind,
      .seen = seen,
      .resumed = fl_now(CLOCK_MONOTONIC),
      .tracer_queued = tracer->queued,
      .cpu_time = task->cpu_time,
      .object = task->action.object,
      .value = task->action.value};
  fl_record_add_stop(task->space->record, &stop);
}

uint32_t fl_tracer_living(const struct fl_tracer *tracer) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (const struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      count += task->thread == task->process;
  return count;
}

void fl_tracer_signal(struct fl_tracer *tracer, int signal) {
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (const struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      if (task->thread == task->process) kill(task->process, signal);
}

bool fl_tracer_step(struct fl_tracer *tracer, int *status) {
  bool had_ended = tracer->has_ended;
  for (unsigned handled = 0; had_ended || !tracer->has_ended; handled++) {
    if (handled == STOPS_AT_ONCE) {
      kill(getpid(), SIGCHLD);  // so that the host comes back, after what else it waits for
      break;
    }
    int answer;
    pid_t thread = waitpid(-1, &answer, __WALL | WNOHANG);
    if (thread == 0) break;
    if (thread < 0) {
      if (errno == EINTR) continue;
      break;
    }
    fl_handle_event(tracer, thread, answer, fl_now(CLOCK_MONOTONIC));
  }
  if (tracer->has_ended) *status = tracer->ending;
  return tracer->has_ended;
}
