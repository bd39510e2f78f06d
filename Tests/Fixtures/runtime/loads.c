// Loads each library it is given, calls its entry, unloads it, and all that again; several threads at
// once. Prints how many segments are mapped at the end.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4 };
static char **libraries;
static int library_count;

__attribute__((no_sanitize("coverage"))) static void *run(void *first) {
  for (int round = 0; round < 2; round++) {
    for (long i = (long)first; i < library_count; i += THREADS) {
      void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
      if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        continue;
      }
      ((void (*)(void))dlsym(library, "entry"))();
      dlclose(library);
    }
  }
  return NULL;
}

int main(int count, char **arguments) {
  libraries = arguments + 1;
  library_count = count - 1;
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  for (long i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  int mapped = 0;
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) mapped += strstr(line, ".segment") != NULL;
  fclose(maps);
  printf("%d\n", mapped);
  return 0;
}
