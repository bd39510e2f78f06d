// A forked child lends its memory to a vfork child before it has called anything itself, from its
// first thread or another one: lent main|thread. Prints the forked child's id.
#define _GNU_SOURCE
#include <firstlight.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNINSTRUMENTED __attribute__((no_sanitize("coverage")))

void in_vfork_child(void) {}
void after_child(void) {}

UNINSTRUMENTED static void *lend(void *unused) {
  pid_t pid = vfork();
  if (pid == 0) {
    in_vfork_child();
    firstlight_mark("lent");
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  after_child();
  firstlight_mark("back");
  return unused;
}

UNINSTRUMENTED int main(int count, char **arguments) {
  if (count < 2) return 64;
  pid_t pid = fork();
  if (pid == 0) {
    pthread_t thread;
    if (strcmp(arguments[1], "main") == 0) lend(NULL);
    else if (pthread_create(&thread, NULL, lend, NULL) == 0) pthread_join(thread, NULL);
    _exit(0);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  printf("%d\n", pid);
  return status != 0;
}
