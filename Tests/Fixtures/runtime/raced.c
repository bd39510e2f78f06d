// Loads and unloads libraries, each before the last one is unloaded, while three threads pause, resume,
// and flush and start: raced LOADS DIRECTORY LIBRARY...
#include <dlfcn.h>
#include <firstlight.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_long loads;
static long wanted;
static const char *directory;

static void *pause_often(void *unused) {
  while (atomic_load(&loads) < wanted) firstlight_pause();
  return unused;
}

static void *resume_often(void *unused) {
  while (atomic_load(&loads) < wanted) firstlight_resume();
  return unused;
}

static void *flush_often(void *unused) {
  while (atomic_load(&loads) < wanted) {
    firstlight_flush();
    if (directory[0] != '\0') firstlight_start(directory);
  }
  return unused;
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  wanted = atol(arguments[1]);
  directory = arguments[2];
  void *(*const steer[])(void *) = {pause_often, resume_often, flush_often};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, steer[i], NULL);
  void *last = NULL;
  for (long i = 0; i < wanted; i++) {
    void *library = dlopen(arguments[3 + i % (count - 3)], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fprintf(stderr, "load %ld: %s\n", i, dlerror());
      _Exit(1);
    }
    ((void (*)(void))dlsym(library, "entry"))();
    if (last != NULL) dlclose(last);
    last = library;
    atomic_fetch_add(&loads, 1);
  }
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  puts("ran");
  return 0;
}
