// Four children at once, each the first process of a pid namespace of its own.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 4 };
void worker0(void) {}
void worker1(void) {}
void worker2(void) {}
void worker3(void) {}
static void (*const workers[CHILDREN])(void) = {worker0, worker1, worker2, worker3};

int main(void) {
  // All of them live until the last one has made its call.
  int done[2], end[2];
  if (pipe(done) != 0 || pipe(end) != 0) return 9;
  char byte = 0;
  for (int i = 0; i < CHILDREN; i++) {
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
    if (pid < 0) return 9;
    if (pid == 0) {
      close(end[1]);
      workers[i]();
      if (write(done[1], &byte, 1) != 1 || read(end[0], &byte, 1) != 0) _exit(9);
      _exit(0);
    }
  }
  for (int i = 0; i < CHILDREN; i++)
    if (read(done[0], &byte, 1) != 1) return 9;
  close(end[1]);
  int failed = 0, status;
  while (wait(&status) > 0) failed |= status;
  return failed != 0;
}
