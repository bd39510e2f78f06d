// Starts the program: the child waits until it is traced, then executes it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu.h"
#include "events.h"
#include "firstlight_launcher.h"
#include "resume.h"
#include "start.h"
#include "untraced.h"

static void note_request(void *context) {
  volatile struct fl_request *request = context;
  request->ran = fl_now(CLOCK_THREAD_CPUTIME_ID);
  request->time = fl_now(CLOCK_MONOTONIC);
}

void fl_raise_descriptor_limit(struct fl_tracer *tracer) {
  if (tracer->raised_descriptors || getrlimit(RLIMIT_NOFILE, &tracer->descriptors) != 0) return;
  struct rlimit raised = {.rlim_cur = tracer->descriptors.rlim_max,
                          .rlim_max = tracer->descriptors.rlim_max};
  tracer->raised_descriptors = setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

static _Noreturn void child(char *const *arguments, char *const *environment, const sigset_t *mask,
                            const int *streams, const struct fl_tracer *tracer, pid_t leader,
                            int go, int failure) {
  char byte;
  ssize_t got;
  do got = read(go, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got == 1) {
    close(go);
    setpgid(0, leader);
    int error = streams == NULL ? 0 : fl_take_streams(streams);
    fl_restore_inherited();
    sigprocmask(SIG_SETMASK, mask, NULL);
    // A program that is left in `main` has no breakpoints when it creates children.
    if ((tracer->host.flags & FL_TRACER_UP_TO_MAIN) == 0) fl_untraced_report();
    if (error == 0)
      error =
          fl_execute(arguments[0], arguments, environment, note_request, (void *)tracer->request);
    if (write(failure, &error, sizeof error) < 0) {
      // The tracer has ended, so the error cannot be reported.
    }
  }
  _exit(127);
}

/// Waits for the child's exec. Returns 0, or the errno of an exec that failed.
static int await_exec(struct fl_tracer *tracer, int failure) {
  pid_t pid = tracer->command;
  for (;;) {
    int status;
    if (waitpid(pid, &status, __WALL) < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (!WIFSTOPPED(status)) {
      int error;
      if (read(failure, &error, sizeof error) == sizeof error) return error;
      // A signal ended the program before its exec.
      tracer->has_ended = true;
      tracer->ending = status;
      return 0;
    }
    if (status >> 16 == PTRACE_EVENT_EXEC) {
      fl_handle_event(tracer, pid, status, fl_now(CLOCK_MONOTONIC));
      return 0;
    }
    ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(status >> 16 == 0 ? WSTOPSIG(status) : 0));
  }
}

enum fl_tracer_start fl_tracer_start(struct fl_tracer *tracer, char *const *arguments,
                                     char *const *environment, const sigset_t *mask,
                                     const int *streams) {
  void *shared = mmap(NULL, sizeof *tracer->request, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return FL_TRACER_NO_PROCESS;
  tracer->request = shared;
  fl_raise_descriptor_limit(tracer);
  int go[2], failure[2];
  if (pipe2(go, O_CLOEXEC) != 0) return FL_TRACER_NO_PROCESS;
  if (pipe2(failure, O_CLOEXEC) != 0) {
    int error = errno;
    close(go[0]);
    close(go[1]);
    errno = error;
    return FL_TRACER_NO_PROCESS;
  }
  enum fl_tracer_start result = FL_TRACER_STARTED;
  int error = 0;
  pid_t leader = fl_lead_group();
  pid_t pid = fork();
  if (pid == 0) {
    close(go[1]);
    child(arguments, environment, mask, streams, tracer, leader, go[0], failure[1]);
  }
  error = errno;
  close(go[0]);
  close(failure[1]);
  if (pid < 0) {
    result = FL_TRACER_NO_PROCESS;
    // Killed before the breakpoints are there, the tracer must not let the program run unrecorded.
  } else if (ptrace(PTRACE_SEIZE, pid, NULL, fl_ptrace_options(tracer, true)) != 0) {
    error = errno;
    result = FL_TRACER_NOT_ALLOWED;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR) continue;
  } else {
    tracer->command = pid;
    if ((tracer->host.flags & FL_TRACER_PINNED) != 0)
      tracer->is_pinned = fl_cpu_pin(&tracer->affinity);
    if (write(go[1], "", 1) == 1) error = await_exec(tracer, failure[0]);
    if (error != 0) result = FL_TRACER_NOT_FOUND;
  }
  close(go[1]);
  close(failure[0]);
  fl_reap_leader(leader);
  errno = error;
  return result;
}

void fl_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }
