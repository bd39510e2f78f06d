// The functions for the host, except start and detach.
#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events.h"

enum { STOPS_AT_ONCE = 1024 };

struct fl_tracer *fl_tracer_make(const struct fl_tracer_host *host) {
  struct fl_tracer *tracer = calloc(1, sizeof *tracer);
  if (tracer == NULL) return NULL;
  tracer->host = *host;
  tracer->records.host = &tracer->host;
  tracer->slice = host->slice > 0 ? host->slice : UINT32_MAX;
  return tracer;
}

pid_t fl_tracer_pid(const struct fl_tracer *tracer) { return tracer->command; }

struct fl_tracer_cost fl_tracer_cost(const struct fl_tracer *tracer) { return tracer->cost; }

uint32_t fl_tracer_process_count(const struct fl_tracer *tracer) { return tracer->records.count; }

struct fl_tracer_process fl_tracer_process_at(const struct fl_tracer *tracer, uint32_t index) {
  return tracer->records.items[index]->process;
}

void fl_tracer_free(struct fl_tracer *tracer) {
  fl_tracer_detach(tracer);
  for (struct fl_space *space = tracer->departed, *next; space != NULL; space = next) {
    next = space->next;
    fl_space_leave(space);
  }
  fl_records_free(&tracer->records);
  if (tracer->raised_descriptors) setrlimit(RLIMIT_NOFILE, &tracer->descriptors);
  if (tracer->request != NULL) munmap((void *)tracer->request, sizeof *tracer->request);
  free(tracer);
}

uint32_t fl_tracer_living(const struct fl_tracer *tracer) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (const struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      count += task->thread == task->process;
  return count;
}

int fl_tracer_take_stop(struct fl_tracer *tracer) {
  int signal = tracer->stopped_by;
  tracer->stopped_by = 0;
  return signal;
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
      kill(getpid(), SIGCHLD);  // the host then calls again, after its other work
      break;
    }
    int answer;
    pid_t thread = waitpid(-1, &answer, __WALL | WNOHANG);
    if (thread == 0) break;
    if (thread < 0) {
      if (errno == EINTR) continue;
      break;
    }
    fl_handle_now(tracer, thread, answer);
  }
  if (tracer->has_ended) *status = tracer->ending;
  return tracer->has_ended;
}
