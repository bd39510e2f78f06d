// A process forbids itself to open files, on pain of death, or moves its root; then calls functions, in
// itself and in children: confined seccomp|seccomp-child|chroot DIRECTORY
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void before(void) {}
void in_child(void) {}
void after(void) {}

__attribute__((no_sanitize("coverage"))) static void confine(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
#ifdef SYS_open
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
#else
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#endif
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) perror("seccomp");
}

__attribute__((no_sanitize("coverage"))) static int child(const char *way, const char *path) {
  pid_t pid = fork();
  if (pid == 0) {
    if (strcmp(way, "seccomp-child") == 0) confine();
    if (strcmp(way, "chroot") == 0 && (chroot(path) != 0 || chdir("/") != 0)) _exit(9);
    in_child();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  before();
  if (strcmp(arguments[1], "seccomp") == 0) confine();
  int status = child(arguments[1], arguments[2]);
  after();
  return status != 0;
}
