// Marks, and then what it is told: marked WAY [DIRECTORY]
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firstlight.h"

enum { THREADS = 8, EACH = 500 };

static void *mark_many(void *number) {
  for (int i = 0; i < EACH; i++) {
    char name[32];
    int size = snprintf(name, sizeof name, "%ld:%d", (long)number, i);
    // The next byte is no part of it.
    name[size] = '!';
    firstlight_mark_sized(name, (size_t)size);
  }
  return NULL;
}

static void on_signal(int signal) {
  (void)signal;
  firstlight_mark("in handler");
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  const char *path = count > 2 ? arguments[2] : "";
  if (strcmp(way, "start") == 0) {
    firstlight_mark("too early");
    firstlight_start(path);
  }
  errno = 77;
  firstlight_mark("config loaded");
  uint64_t outer = firstlight_span_begin("outer");
  uint64_t inner = firstlight_span_begin("inner");
  if (errno != 77) return 1;
  firstlight_span_end(inner);
  if (strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(way, "threads") == 0) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, mark_many, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  }
  if (strcmp(way, "full") == 0)
    for (int i = 0; i < 9000; i++) firstlight_mark("again");
  if (strcmp(way, "long") == 0) {
    static char name[4096];
    memset(name, 'x', sizeof name - 1);
    for (int i = 0; i < 300; i++) firstlight_mark(name);
  }
  if (strcmp(way, "pause") == 0) {
    firstlight_pause();
    firstlight_mark("in pause");
    firstlight_resume();
    firstlight_mark("after pause");
  }
  if (strcmp(way, "fork") == 0) {
    pid_t child = fork();
    if (child == 0) {
      firstlight_span_end(outer);  // its parent's
      firstlight_mark("in child");
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
  if (strcmp(way, "signal") == 0) {
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
  }
  if (strcmp(way, "cut") == 0) {
    char command[4200];
    snprintf(command, sizeof command, "truncate -s 0 %s/*.marks", path);
    if (system(command) != 0) return 2;
    firstlight_mark("after the cut");
  }
  firstlight_span_end(outer);
  firstlight_span_end(outer);
  if (strcmp(way, "ready") == 0) firstlight_ready();
  printf("%d\n", firstlight_is_marking());
  return 0;
}
