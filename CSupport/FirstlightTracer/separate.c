// Moves the tracer to a process of its own, which outlives the command that the user sees.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/firstlight_tracer.h"

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Spares this process when memory runs out. Needs CAP_SYS_RESOURCE.
static void avoid_memory_killer(void) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, "-1000", 5) < 0) {
    // Not permitted. The tracer works without it.
  }
  close(file);
}

/// Passes signals on to the tracer until it ends. Returns its wait status.
static int await_tracer(pid_t tracer, const sigset_t *signals) {
  for (;;) {
    int status;
    if (waitpid(tracer, &status, WNOHANG) == tracer) return status;
    int signal = sigwaitinfo(signals, NULL);
    if (signal > 0 && signal != SIGCHLD) kill(tracer, signal);
  }
}

pid_t fl_tracer_separate(int *status) {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (unsigned i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
    struct sigaction action;
    // A blocked signal that the caller ignores, as nohup does, would arrive nevertheless.
    if (sigaction(forwarded[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&signals, forwarded[i]);
  }
  sigprocmask(SIG_BLOCK, &signals, &before);
  pid_t command = getpid();
  pid_t tracer = fork();
  if (tracer > 0) *status = await_tracer(tracer, &signals);
  if (tracer != 0) {
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return tracer;
  }
  // In a session of its own, a signal to the command's process group does not reach the tracer.
  setsid();
  avoid_memory_killer();
  // The death of the command ends the recording as this signal does.
  signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != command) _exit(1);
  return 0;
}
