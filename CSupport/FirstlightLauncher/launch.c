#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "firstlight_launcher.h"

// Runs in the child on the parent's memory: system calls only, and no change that affects the
// parent.
static int become(const struct fl_launch *launch, enum fl_launch_step *failed) {
  *failed = FL_LAUNCH_START;
  if (dup2(launch->input, 0) < 0 || dup2(launch->output, 1) < 0 || dup2(launch->errors, 2) < 0) {
    return errno;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (launch->traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) {
    *failed = FL_LAUNCH_TRACE;
    return errno;
  }
  execve(launch->path, launch->arguments, launch->environment);
  return errno;
}

int fl_launch_program(const struct fl_launch *launch, pid_t *pid, enum fl_launch_step *failed) {
  // vfork keeps the parent's registers; the child reports through memory.
  volatile int error = 0;
  pid_t child = vfork();
  if (child < 0) {
    *failed = FL_LAUNCH_START;
    return errno;
  }
  if (child == 0) {
    error = become(launch, failed);
    _exit(127);
  }
  if (error != 0) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    return error;
  }
  *pid = child;
  return 0;
}

int fl_signal_events(const sigset_t *signals) {
  return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int fl_child_events(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return fl_signal_events(&set);
}

void fl_take_child_events(int children) {
  struct signalfd_siginfo event;
  while (read(children, &event, sizeof event) == (ssize_t)sizeof event) continue;
}

void fl_wake_punctually(void) { prctl(PR_SET_TIMERSLACK, 1UL); }

int fl_wait(int first, int second, int64_t nanoseconds) {
  struct pollfd files[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
  struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  if (ppoll(files, 2, nanoseconds < 0 ? NULL : &time, NULL) <= 0) return 0;
  // An end or an error shows when the descriptor is read.
  return (files[0].revents != 0 ? FL_WAIT_FIRST : 0) | (files[1].revents != 0 ? FL_WAIT_SECOND : 0);
}
