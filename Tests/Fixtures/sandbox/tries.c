// Enters the sandbox, tries what a reader that somebody took over would try, and prints what became of
// each: 0, or errno.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "worker_sandbox.h"

static char text[4096];

static void tell(const char *what, long result) {
  char line[64];
  int size = snprintf(line, sizeof line, "%s %d\n", what, result < 0 ? errno : 0);
  strncat(text, line, size);
}

static long map(int protection, int flags) {
  return (long)mmap(NULL, 4096, protection, flags | MAP_ANONYMOUS, -1, 0) == -1 ? -1 : 0;
}

static void crash(const char *how) {
  if (strcmp(how, "null") == 0) *(volatile int *)8 = 1;
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "doubling") == 0) {
    size_t size = 1 << 20;
    char *array = NULL;
    for (;; size *= 2) {
      array = realloc(array, size);
      if (array == NULL) abort();
      memset(array, 1, size);
    }
  }
  if (strcmp(how, "memory") == 0) {
    for (;;) {
      char *more = malloc(1 << 20);
      if (more == NULL) __builtin_trap();
      memset(more, 1, 1 << 20);
    }
  }
}

int main(int count, char **arguments) {
  pid_t parent = getppid();
  int error = fl_sandbox_enter();
  if (error != 0) return error;
  if (count > 1) crash(arguments[1]);
  struct stat status;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 80};
  char byte;
  struct iovec own = {&byte, 1}, others = {(void *)0x1000, 1};
  char *const none[] = {NULL};
  tell("open", open("/etc/passwd", O_RDONLY));
  tell("openat2", syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", &status, 24));
  tell("create", open("/tmp/firstlight-sandbox", O_WRONLY | O_CREAT, 0600));
  tell("stat", stat("/etc/passwd", &status));
  tell("unlink", unlink("/tmp/firstlight-sandbox"));
  tell("socket", socket(AF_INET, SOCK_STREAM, 0));
  tell("connect", connect(1, (struct sockaddr *)&address, sizeof address));
  tell("exec", execve("/bin/true", none, none));
  tell("fork", fork());
  tell("clone", syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0, 0));
  tell("kill", kill(parent, 0));
  tell("tgkill", syscall(SYS_tgkill, parent, parent, 0));
  tell("ptrace", ptrace(PTRACE_TRACEME, 0, 0, 0));
  tell("process_vm_readv", process_vm_readv(parent, &own, 1, &others, 1, 0));
  tell("dup", dup(1));
  tell("memfd", memfd_create("x", 0));
  tell("executable", map(PROT_READ | PROT_EXEC, MAP_PRIVATE));
  tell("shared", map(PROT_READ | PROT_WRITE, MAP_SHARED));
  tell("growing", map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_GROWSDOWN));
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  tell("private", page == MAP_FAILED ? -1 : 0);
  tell("mprotect", mprotect(page, 4096, PROT_READ | PROT_EXEC));
  tell("read", read(0, &byte, 1));
  tell("tgkill-self", syscall(SYS_tgkill, getpid(), getpid(), 0));
  return write(1, text, strlen(text)) < 0;
}
