#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Closes all descriptors from `first` on, one by one: a kernel before 5.9 has no close_range(2),
// and an older container's filter denies it. Uses only system calls, like all code in the child.
static int close_one_by_one(int first) {
  struct entry {  // struct linux_dirent64 of getdents64(2)
    uint64_t inode;
    int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[];
  };
  _Alignas(struct entry) char entries[1024];
  int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return errno;
  long size;
  while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long at = 0; at < size; at += ((struct entry *)(entries + at))->size) {
      int number = 0;
      const char *digit = ((struct entry *)(entries + at))->name;
      for (; *digit >= '0' && *digit <= '9'; digit++) number = number * 10 + (*digit - '0');
      if (number >= first && number != folder) close(number);
    }
  }
  int error = size < 0 ? errno : 0;
  close(folder);
  return error;
}

static int close_from(int first) {
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0) return 0;
  return errno == ENOSYS || errno == EPERM ? close_one_by_one(first) : errno;
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
  return close_from(first);
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

// Runs in the child on the parent's memory: system calls only, and no change that affects the
// parent.
static int become(const struct fl_worker *worker, pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return errno;
  if (getppid() != parent) return ESRCH;
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
  pid_t parent = getpid();
  // No signal handler may run in the child, on this process's memory.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // vfork keeps the parent's registers; the child reports through memory.
  volatile int error = 0;
  pid_t child = vfork();
  if (child == 0) {
    error = become(worker, parent);
    _exit(127);
  }
  if (child < 0) error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (child < 0) return error;
  if (error == 0) {
    // pidfd_open sets close-on-exec.
    *process = (int)syscall(SYS_pidfd_open, child, 0);
    if (*process < 0) error = errno;
  }
  if (error != 0) {
    fl_worker_end(child);
    return error;
  }
  *pid = child;
  return 0;
}

int fl_worker_wait(int output, int process, int milliseconds) {
  struct pollfd files[2] = {{.fd = output, .events = POLLIN}, {.fd = process, .events = POLLIN}};
  if (poll(files, 2, milliseconds) <= 0) return 0;
  // An end or an error shows when the descriptor is read.
  return (files[0].revents != 0 ? FL_WORKER_OUTPUT : 0) |
         (files[1].revents != 0 ? FL_WORKER_ENDED : 0);
}

int fl_worker_end(pid_t pid) {
  // The id is not reused before waitpid.
  kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

int fl_worker_signal(int wait_status, int *status) {
  *status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
  return WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
}
