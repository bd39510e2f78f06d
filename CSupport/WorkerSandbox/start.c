#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firstlight_launcher.h"
#include "worker_sandbox.h"

static int limit(int what, uint64_t soft, uint64_t hard) {
  struct rlimit now;
  if (getrlimit(what, &now) < 0) return errno;
  if (now.rlim_max != RLIM_INFINITY && hard > now.rlim_max) hard = now.rlim_max;
  struct rlimit new = {.rlim_cur = soft < hard ? soft : hard, .rlim_max = hard};
  return setrlimit(what, &new) < 0 ? errno : 0;
}

static int set_limits(const struct fl_worker *worker) {
  int error = limit(RLIMIT_DATA, worker->memory, worker->memory);
  // SIGXCPU is sent at the limit; a process that ignores it is killed a second later.
  if (error == 0) error = limit(RLIMIT_CPU, worker->seconds, worker->seconds + 1);
  if (error == 0) error = limit(RLIMIT_CORE, 0, 0);
  if (error == 0) error = limit(RLIMIT_FSIZE, 0, 0);
  // The loader opens the program's libraries one by one and needs this many.
  if (error == 0) error = limit(RLIMIT_NOFILE, 16, 16);
  if (error == 0) error = limit(RLIMIT_STACK, 8 << 20, 8 << 20);
  return error;
}

// Sets descriptors 0 to 4 and closes all others.
static int set_descriptors(const struct fl_worker *worker) {
  // Moved to high numbers first, since one may have the target number of another.
  int output = fcntl(worker->output, F_DUPFD, 10);
  int file = fcntl(worker->file, F_DUPFD, 10);
  int debug_file = worker->debug_file < 0 ? -1 : fcntl(worker->debug_file, F_DUPFD, 10);
  int nothing = open("/dev/null", O_RDWR);
  if (output < 0 || file < 0 || nothing < 0 || (debug_file < 0 && worker->debug_file >= 0)) {
    return errno;
  }
  nothing = fcntl(nothing, F_DUPFD, 10);
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(nothing, 2) < 0 ||
      dup2(file, FL_WORKER_FILE) < 0) {
    return errno;
  }
  int first = FL_WORKER_DEBUG_FILE;
  if (debug_file >= 0 && dup2(debug_file, first++) < 0) return errno;
  return syscall(SYS_close_range, (unsigned)first, ~0U, 0) < 0 ? errno : 0;
}

static int use_one_cpu(void) {
  int cpu = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  // Beyond CPU_SETSIZE the affinity stays as it is.
  if (cpu < 0 || cpu >= CPU_SETSIZE) return 0;
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) < 0 ? errno : 0;
}

struct start {
  const struct fl_worker *worker;
  pid_t parent;
};

static int become(const void *context) {
  const struct start *start = context;
  const struct fl_worker *worker = start->worker;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return errno;
  if (getppid() != start->parent) return ESRCH;
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &action, NULL);
  int error = set_descriptors(worker);
  if (error == 0) error = use_one_cpu();
  if (error == 0) error = set_limits(worker);
  if (error != 0) return error;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(worker->path, worker->arguments, worker->environment);
  return errno;
}

int fl_worker_start(const struct fl_worker *worker, pid_t *pid, int *process) {
  struct start start = {worker, getpid()};
  int error = fl_start_process(become, &start, pid);
  if (error != 0) return error;
  // pidfd_open sets close-on-exec.
  *process = (int)syscall(SYS_pidfd_open, *pid, 0);
  if (*process >= 0) return 0;
  error = errno;
  fl_worker_end(*pid);
  return error;
}

int fl_worker_end(pid_t pid) {
  // The id is not reused before waitpid.
  kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}
