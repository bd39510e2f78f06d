// Loads and unloads a library while two threads fork and one calls the API, for some seconds:
// unloads SECONDS LIBRARY
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNINSTRUMENTED __attribute__((no_sanitize("coverage")))

static atomic_bool is_over;
static atomic_int failures;

void in_child(void) {}

UNINSTRUMENTED static void *load_often(void *library) {
  while (!atomic_load(&is_over)) {
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL) {
      atomic_fetch_add(&failures, 1);
      continue;
    }
    ((void (*)(void))dlsym(loaded, "entry"))();
    dlclose(loaded);
  }
  return NULL;
}

UNINSTRUMENTED static void *fork_often(void *unused) {
  while (!atomic_load(&is_over)) {
    pid_t pid = fork();
    if (pid == 0) {
      in_child();
      _exit(0);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    if (status != 0) atomic_fetch_add(&failures, 1);
  }
  return unused;
}

UNINSTRUMENTED int main(int count, char **arguments) {
  if (count < 3) return 64;
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, load_often, arguments[2]);
  for (int i = 1; i < 3; i++) pthread_create(&threads[i], NULL, fork_often, NULL);
  sleep((unsigned)atoi(arguments[1]));
  atomic_store(&is_over, true);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return atomic_load(&failures) != 0;
}
