// Allows itself hardly any system call, on pain of death, then calls functions for the first time, and
// marks: strict thread|child|clone. The last two confine a forked child, by libc's fork or without it.
#define _GNU_SOURCE
#include <firstlight.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void before(void) {}
void confined(void) { firstlight_mark("confined"); }

// What it takes to run a thread and to end.
#define ALLOW(call)                                          \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),     \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

__attribute__((no_sanitize("coverage"))) static void confine(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(clone3), ALLOW(clone), ALLOW(mmap), ALLOW(mprotect), ALLOW(munmap), ALLOW(madvise),
      ALLOW(rseq), ALLOW(set_robust_list), ALLOW(rt_sigaction), ALLOW(rt_sigprocmask),
      ALLOW(rt_sigreturn), ALLOW(futex), ALLOW(getrandom), ALLOW(brk), ALLOW(exit), ALLOW(exit_group),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(9);
}

static void *run(void *unused) {
  confined();
  return unused;
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  before();
  if (strcmp(way, "thread") == 0) {
    pthread_t thread;
    confine();
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    _exit(0);
  }
  pid_t pid = strcmp(way, "clone") == 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  if (pid == 0) {
    confine();
    confined();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status != 0;
}
