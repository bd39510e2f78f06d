// Starts the program: the child waits until it is traced, then executes it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu.h"
#include "cpu_time.h"
#include "events.h"
#include "exec.h"
#include "resume.h"
#include "start.h"

static void note_request(volatile struct fl_request *request) {
  request->used.ran = fl_now(CLOCK_THREAD_CPUTIME_ID);
  request->time = fl_now(CLOCK_MONOTONIC);
}

/// execvp without its fallback to a shell. Returns an errno. Runs in the forked child, so it only
/// uses system calls and plain memory.
static int execute(char *const *arguments, char *const *environment,
                   volatile struct fl_request *request) {
  const char *name = arguments[0];
  if (strchr(name, '/') != NULL) {
    note_request(request);
    execve(name, arguments, environment);
    return errno;
  }
  const char *search = getenv("PATH");
  if (search == NULL) search = "/bin:/usr/bin";
  bool denied = false;
  size_t name_size = strlen(name);
  if (name_size == 0) return ENOENT;
  for (const char *at = search, *end;; at = end + 1) {
    end = strchrnul(at, ':');
    size_t size = (size_t)(end - at);
    char path[PATH_MAX];
    if (size + name_size + 2 <= sizeof path) {
      memcpy(path, at, size);
      if (size > 0) path[size++] = '/';
      memcpy(path + size, name, name_size + 1);
      note_request(request);
      execve(path, arguments, environment);
      if (errno == EACCES) denied = true;
      else if (errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV)
        return errno;
    }
    if (*end == '\0') return denied ? EACCES : ENOENT;
  }
}

/// Makes `streams` the descriptors 0, 1 and 2. Moves them above 2 first, because they may have
/// these numbers in another order.
static void take_streams(const int *streams) {
  int above[3];
  for (int i = 0; i < 3; i++) above[i] = fcntl(streams[i], F_DUPFD_CLOEXEC, 3);
  for (int i = 0; i < 3; i++) dup2(above[i], i);
}

void fl_raise_descriptor_limit(struct fl_tracer *tracer) {
  if (tracer->raised_descriptors || getrlimit(RLIMIT_NOFILE, &tracer->descriptors) != 0) return;
  struct rlimit raised = {.rlim_cur = tracer->descriptors.rlim_max,
                          .rlim_max = tracer->descriptors.rlim_max};
  tracer->raised_descriptors = setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

static _Noreturn void child(char *const *arguments, char *const *environment, const sigset_t *mask,
                            const int *streams, const struct fl_tracer *tracer, int go,
                            int failure) {
  char byte;
  ssize_t got;
  do got = read(go, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got == 1) {
    close(go);
    if (streams != NULL) take_streams(streams);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (tracer->raised_descriptors) setrlimit(RLIMIT_NOFILE, &tracer->descriptors);
    int error = execute(arguments, environment, tracer->request);
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
  pid_t pid = fork();
  if (pid == 0) {
    close(go[1]);
    child(arguments, environment, mask, streams, tracer, go[0], failure[1]);
  }
  error = errno;
  close(go[0]);
  close(failure[1]);
  if (pid < 0) {
    result = FL_TRACER_NO_PROCESS;
  } else if (ptrace(PTRACE_SEIZE, pid, NULL, fl_ptrace_options(tracer, false)) != 0) {
    error = errno;
    result = FL_TRACER_NOT_ALLOWED;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR) continue;
  } else {
    tracer->command = pid;
    // The child waits for the tracer, so one timeslice takes it to its exec.
    int cpu_time_file = fl_cpu_time_open(pid, pid);
    struct fl_tracer_cpu_time used = fl_cpu_time_read(cpu_time_file);
    tracer->request->used.timeslices = used.timeslices;
    tracer->request->used.queued = used.queued;
    if (cpu_time_file >= 0) close(cpu_time_file);
    if ((tracer->host.flags & FL_TRACER_PINNED) != 0)
      tracer->is_pinned = fl_cpu_pin(&tracer->affinity);
    if (write(go[1], "", 1) == 1) error = await_exec(tracer, failure[0]);
    if (error != 0) result = FL_TRACER_NOT_FOUND;
  }
  close(go[1]);
  close(failure[0]);
  errno = error;
  return result;
}

void fl_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }
