// Resets its recording a thousand times while two threads call functions, and does so in forked
// children too, one after each of the first 40 resets: resets DIRECTORY. Prints how many files of
// the directory are mapped at the end, and how many mappings came about after 100 resets.
#include <firstlight.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEN(name) name(0) name(1) name(2) name(3) name(4) name(5) name(6) name(7) name(8) name(9)
#define DEFINE(digit) \
  static void f##digit(void) {}
#define NAME(digit) f##digit,
TEN(DEFINE)
static void (*const functions[])(void) = {TEN(NAME)};

void in_child(void) {}
void last(void) {}

#define UNINSTRUMENTED __attribute__((no_sanitize("coverage")))

static atomic_bool is_over;

UNINSTRUMENTED static void *call_often(void *unused) {
  while (!atomic_load(&is_over))
    for (int i = 0; i < 10; i++) functions[i]();
  return unused;
}

struct mappings {
  int all, files;
};

UNINSTRUMENTED static struct mappings count_mappings(const char *directory) {
  struct mappings found = {0};
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    found.all++;
    if (strstr(line, directory) != NULL) found.files++;
  }
  fclose(maps);
  return found;
}

UNINSTRUMENTED static int reset_in_child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 40; i++) {
      in_child();
      if (!firstlight_reset()) _exit(1);
    }
    in_child();
    _exit(0);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  return status;
}

UNINSTRUMENTED int main(int count, char **arguments) {
  if (count < 2) return 64;
  pthread_t threads[2];
  struct mappings early = {0};
  for (int i = 0; i < 40; i++)
    if (!firstlight_reset() || reset_in_child() != 0) return 1;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, call_often, NULL);
  for (int i = 40; i < 1000; i++) {
    if (!firstlight_reset()) return 2;
    if (i == 100) early = count_mappings(arguments[1]);
  }
  struct mappings now = count_mappings(arguments[1]);
  atomic_store(&is_over, true);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  last();
  printf("%d %d\n", now.files, now.all - early.all);
  return 0;
}
