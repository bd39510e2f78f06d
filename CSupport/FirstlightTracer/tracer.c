#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOPS_AT_ONCE = 1024 };

struct fl_tracer *fl_tracer_make(const struct fl_tracer_host *host) {
  struct fl_tracer *tracer = calloc(1, sizeof *tracer);
  if (tracer != NULL) tracer->host = *host;
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
  free(tracer);
}

long fl_options(bool kill) {
  return PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
         (kill ? PTRACE_O_EXITKILL : 0);
}

static bool is_stop_signal(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

void fl_resume(pid_t thread, int status) {
  int signal = WSTOPSIG(status);
  int event = status >> 16;
  // A failure means that the thread has been killed meanwhile: its end will be told.
  if (event == PTRACE_EVENT_STOP && is_stop_signal(signal))
    ptrace(PTRACE_LISTEN, thread, NULL, NULL);  // stopped by job control: stays so until SIGCONT
  else
    ptrace(PTRACE_CONT, thread, NULL, (void *)(long)(event == 0 ? signal : 0));
}

void fl_handle(struct fl_tracer *tracer, pid_t thread, int status) {
  if (!WIFSTOPPED(status)) {
    fl_task_ended(tracer, thread);
    if (thread == tracer->command) {
      tracer->has_ended = true;
      tracer->ending = status;
    }
    return;
  }
  int event = status >> 16;
  if (event == PTRACE_EVENT_EXEC && !tracer->is_detaching) {
    fl_executed(tracer, thread);
    fl_resume(thread, status);
    return;
  }
  struct fl_task *task = fl_task_find(tracer, thread);
  if (task == NULL) {
    fl_orphan_add(tracer, thread, status);
    return;
  }
  if (tracer->is_detaching) {
    fl_let_go(tracer, task, status);
    return;
  }
  switch (event) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE: {
      unsigned long created;
      if (ptrace(PTRACE_GETEVENTMSG, thread, NULL, &created) == 0)
        fl_adopt(tracer, task, (pid_t)created, event);
      break;
    }
    case PTRACE_EVENT_STOP: fl_mask_note(task); break;
    case 0: {
      int signal = WSTOPSIG(status);
      if (signal == SIGTRAP && task->is_entering) {
        fl_handler_entered(task);
        return;
      }
      task->is_entering = false;
      enum fl_trap trap = signal == SIGTRAP ? fl_trapped(tracer, task) : FL_TRAP_FOREIGN;
      if (trap == FL_TRAP_FOREIGN) fl_deliver(task, signal);
      else ptrace(PTRACE_CONT, thread, NULL, (void *)(long)(trap == FL_TRAP_OURS ? 0 : signal));
      return;
    }
    default: break;
  }
  fl_resume(thread, status);
}

bool fl_tracer_step(struct fl_tracer *tracer, int *status) {
  for (unsigned handled = 0; !tracer->has_ended; handled++) {
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
    fl_handle(tracer, thread, answer);
  }
  if (tracer->has_ended) *status = tracer->ending;
  return tracer->has_ended;
}
