// A parent and its children, each with functions of its own: family fork|thread|clone|prefork
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void shared(void) {}
void parent_after(void) {}
#define WORKERS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define WORKER(n) void worker##n(void) {}
WORKERS(WORKER)
#define NAME(n) worker##n,
static void (*const workers[])(void) = {WORKERS(NAME)};

__attribute__((no_sanitize("coverage"))) static pid_t start(int number, int raw) {
  pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  if (pid != 0) return pid;
  shared();  // the parent's, before the fork
  workers[number]();
  _exit(0);
}

__attribute__((no_sanitize("coverage"))) static void *from_thread(void *unused) {
  waitpid(start(0, 0), NULL, 0);
  return unused;
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  shared();
  if (strcmp(way, "fork") == 0) waitpid(start(0, 0), NULL, 0);
  if (strcmp(way, "clone") == 0) waitpid(start(0, 1), NULL, 0);
  if (strcmp(way, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, from_thread, NULL);
    pthread_join(thread, NULL);
  }
  if (strcmp(way, "prefork") == 0) {
    for (int i = 0; i < 16; i++) start(i, 0);
    while (wait(NULL) > 0) continue;
  }
  parent_after();
  return 0;
}
