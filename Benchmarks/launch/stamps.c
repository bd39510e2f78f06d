// A program of about two milliseconds that notes when its first initializer, its last one, its main and
// its readiness came. `stamps alone N` starts itself so N times and tells medians, in microseconds:
// request to first initializer, initializers, main to ready, request to ready.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000, TIMES = 4, PAGES = 64, SIZE = 1 << 20 };

static long long first, last;

static long long now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000000000ll + at.tv_nsec;
}

static void begin(void) { first = now(); }
__attribute__((section(".preinit_array"), used)) static void (*const first_of_all)(void) = begin;

__attribute__((constructor(101))) static void touch(void) {
  volatile char *pages = mmap(0, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < PAGES; i++) pages[i * 4096] = 1;
}

__attribute__((constructor(102))) static void end(void) { last = now(); }

static int compare(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return x < y ? -1 : x > y;
}

static int start_often(int count) {
  static long long times[TIMES][MOST];
  long long *requested = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < count; i++) {
    int said[2];
    long long at[4];
    usleep(2000);
    if (pipe(said) != 0) return 1;
    pid_t child = fork();
    if (child == 0) {
      dup2(said[1], 3);
      *requested = now();
      execl("/proc/self/exe", "stamps", "tells", (char *)0);
      _exit(1);
    }
    close(said[1]);
    if (read(said[0], at, sizeof at) != sizeof at) return 1;
    close(said[0]);
    waitpid(child, 0, 0);
    times[0][i] = at[0] - *requested;
    times[1][i] = at[1] - at[0];
    times[2][i] = at[3] - at[2];
    times[3][i] = at[3] - *requested;
  }
  for (int i = 0; i < TIMES; i++) {
    qsort(times[i], count, sizeof times[i][0], compare);
    printf("%.1f%c", times[i][count / 2] / 1e3, i + 1 < TIMES ? ' ' : '\n');
  }
  return 0;
}

int main(int count, char **arguments) {
  long long start = now();
  if (count == 3 && strcmp(arguments[1], "alone") == 0 && atoi(arguments[2]) <= MOST)
    return start_often(atoi(arguments[2]));
  char *all = malloc(SIZE);
  unsigned sum = 0;
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < SIZE; i++) all[i] = (char)(i * 7 + round);
  for (int i = 0; i < SIZE; i++) sum = sum * 31 + (unsigned char)all[i];
  long long at[4] = {first, last, start, now()};
  if (count > 1 && write(3, at, sizeof at) < 0) return 1;
  _exit(sum == 1);
}
