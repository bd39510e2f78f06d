// A vfork child that calls functions in its parent's memory, then becomes this program again; and the
// same through posix_spawn. Prints the thread that did it.
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *again[] = {"borrowed", "again", NULL};

void in_child(void) {}
void after_child(void) {}
void spawned(void) {}

__attribute__((no_sanitize("coverage"))) static void *run(void *unused) {
  // Nothing of this thread's was recorded so far.
  pid_t pid = vfork();
  if (pid == 0) {
    in_child();
    execve("/proc/self/exe", again, environ);
    _exit(127);
  }
  waitpid(pid, NULL, 0);
  after_child();
  printf("%ld\n", (long)syscall(SYS_gettid));
  return unused;
}

int main(int count, char **arguments) {
  (void)arguments;
  if (count > 1) {
    spawned();
    return 0;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  pid_t pid;
  if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, again, environ) == 0) waitpid(pid, NULL, 0);
  return 0;
}
