// A thread with a cancellation pending does what has no cancellation point; then the main thread
// does the same: cancelled call|computation|mark|ready|start|flush|load|cut DIRECTORY
// [LIBRARY]
//
// call: in a forked child. computation: there, and cancelled at any moment. load: loads the
// library. cut: calls after all files in the directory were cut short.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <firstlight.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNINSTRUMENTED __attribute__((no_sanitize("coverage")))

static const char *way, *directory, *library;

void first(void) {}
void second(void) {}

UNINSTRUMENTED static void act(bool again) {
  if (strcmp(way, "mark") == 0) firstlight_mark("mark");
  else if (strcmp(way, "ready") == 0) firstlight_ready();
  else if (strcmp(way, "start") == 0) firstlight_start(directory);
  else if (strcmp(way, "flush") == 0) firstlight_flush();
  else if (strcmp(way, "load") == 0) dlopen(library, RTLD_NOW | RTLD_LOCAL);
  else if (again) second();
  else first();
}

UNINSTRUMENTED static void *victim(void *unused) {
  (void)unused;
  if (strcmp(way, "computation") == 0) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    act(false);
    for (;;) continue;
  }
  pthread_cancel(pthread_self());
  act(false);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  return (void *)&way;
}

UNINSTRUMENTED static void cut_all(void) {
  DIR *files = opendir(directory);
  for (struct dirent *entry; (entry = readdir(files)) != NULL;)
    if (entry->d_name[0] != '.') close(openat(dirfd(files), entry->d_name, O_WRONLY | O_TRUNC));
  closedir(files);
}

UNINSTRUMENTED static int visit(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)info, (void)size, (void)unused;
  return 0;
}

/// Returns whether the thread got to its end, as it has to unless it computes for ever.
UNINSTRUMENTED static bool run(int wait) {
  pthread_t thread;
  void *result = NULL;
  pthread_create(&thread, NULL, victim, NULL);
  if (strcmp(way, "computation") == 0) {
    for (volatile int i = 0; i < wait; i++) continue;
    pthread_cancel(thread);
  }
  pthread_join(thread, &result);
  act(true);
  dl_iterate_phdr(visit, NULL);
  return (result == &way) == (strcmp(way, "computation") != 0);
}

UNINSTRUMENTED static bool run_in_child(int wait) {
  pid_t pid = fork();
  if (pid == 0) _exit(run(wait) ? 0 : 1);
  int status = 1;
  waitpid(pid, &status, 0);
  return status == 0;
}

UNINSTRUMENTED int main(int count, char **arguments) {
  if (count < 3) return 64;
  way = arguments[1];
  directory = arguments[2];
  library = arguments[count - 1];
  bool ended = true;
  if (strcmp(way, "computation") == 0) {
    for (int i = 0; i < 100; i++) ended = run_in_child(i * 1500) && ended;
  } else if (strcmp(way, "call") == 0) {
    ended = run_in_child(0);
  } else {
    if (strcmp(way, "cut") == 0) cut_all();
    ended = run(0);
  }
  puts(ended ? "ended" : "cancelled");
  return 0;
}
