#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "firstlight_launcher.h"

int fl_execute(const char *name, char *const *arguments, char *const *environment,
               void (*before)(void *context), void *context) {
  if (strchr(name, '/') != NULL) {
    if (before != NULL) before(context);
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
      if (before != NULL) before(context);
      execve(path, arguments, environment);
      if (errno == EACCES) denied = true;
      else if (errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV)
        return errno;
    }
    if (*end == '\0') return denied ? EACCES : ENOENT;
  }
}

int fl_take_streams(const int *streams) {
  // The streams may have the numbers 0, 1 and 2 in another order.
  int above[3];
  for (int i = 0; i < 3; i++)
    if ((above[i] = fcntl(streams[i], F_DUPFD_CLOEXEC, 3)) < 0) return errno;
  for (int i = 0; i < 3; i++)
    if (dup2(above[i], i) < 0) return errno;
  return 0;
}

struct start {
  const struct fl_launch *launch;
  enum fl_launch_step *failed;
};

static int become(const void *context) {
  const struct start *start = context;
  const struct fl_launch *launch = start->launch;
  *start->failed = FL_LAUNCH_START;
  if (launch->directory != NULL && chdir(launch->directory) < 0) return errno;
  if (launch->streams != NULL) {
    int error = fl_take_streams(launch->streams);
    if (error != 0) return error;
  }
  if (launch->dies_with_us) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (launch->group == FL_OWN_GROUP) setpgid(0, 0);
  if (launch->group == FL_APART_GROUP) setpgid(0, launch->leader);
  if (launch->group == FL_OWN_SESSION) setsid();
  fl_restore_inherited();
  sigprocmask(SIG_SETMASK, &launch->mask, NULL);
  if (launch->traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) {
    *start->failed = FL_LAUNCH_TRACE;
    return errno;
  }
  return fl_execute(launch->program, launch->arguments, launch->environment, NULL, NULL);
}

int fl_start_process(int (*become)(const void *context), const void *context, pid_t *pid) {
  // A handler of ours must not run in the child, on our memory.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // vfork keeps the parent's registers; the child reports through memory.
  volatile int error = 0;
  pid_t child = vfork();
  if (child == 0) {
    error = become(context);
    _exit(127);
  }
  if (child < 0) error = errno;
  else if (error != 0)
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  else *pid = child;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

static int lead(const void *context) {
  (void)context;
  return setpgid(0, 0) < 0 ? errno : 0;
}

pid_t fl_lead_group(void) {
  pid_t leader = 0;
  return fl_start_process(lead, &leader, &leader) == 0 ? leader : 0;
}

void fl_reap_leader(pid_t leader) {
  if (leader == 0) return;
  while (waitpid(leader, NULL, 0) < 0 && errno == EINTR) continue;
}

int fl_launch_program(const struct fl_launch *launch, pid_t *pid, enum fl_launch_step *failed) {
  struct start start = {launch, failed};
  return fl_start_process(become, &start, pid);
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
