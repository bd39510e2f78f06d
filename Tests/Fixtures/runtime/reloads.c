// A host without the runtime: loads and unloads a library again and again. Prints how many more
// mappings there are than after the first time, and who handles SIGBUS: reloads LIBRARY TIMES
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static int mappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  int count = 0;
  for (int c; (c = getc(file)) != EOF;) count += c == '\n';
  fclose(file);
  return count;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
#ifdef MAY_CONFINE_ITSELF
  prctl(PR_SET_NAME, "host");
#endif
  int first = 0;
  for (int i = 0; i < atoi(arguments[2]); i++) {
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (library == NULL) return 1;
    ((void (*)(void))dlsym(library, "entry"))();
    dlclose(library);
    const char *error = dlerror();
    if (error != NULL) printf("%s\n", error);
    if (i == 0) first = mappings();
  }
  struct sigaction action;
  sigaction(SIGBUS, NULL, &action);
  printf("%d %s\n", mappings() - first, action.sa_handler == SIG_DFL ? "default" : "handled");
  return 0;
}
