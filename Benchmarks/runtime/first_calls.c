// Prints what a first call takes, ns of processor time: first_calls THREADS [touched]
//
// Each thread calls its share of the functions in `all` once, and then once more; the difference is
// the first call's own. With "touched", the pages of the segment and of the guards are made present
// before, so what is left is the work without page faults.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

extern void (*const all[])(void);
extern const long all_count;

static pthread_barrier_t barrier;

struct share {
  pthread_t thread;
  long start, end;
  double first, second;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void *run(void *context) {
  struct share *share = context;
  // The thread's own start, and the code's pages, are nothing of the hook's.
  volatile char byte;
  for (long i = share->start; i < share->end; i++) byte = *(const volatile char *)all[i];
  (void)byte;
  pthread_barrier_wait(&barrier);
  double start = now();
  for (long i = share->start; i < share->end; i++) all[i]();
  double middle = now();
  for (long i = share->start; i < share->end; i++) all[i]();
  share->first = middle - start;
  share->second = now() - middle;
  return NULL;
}

static void touch_segment(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long start, end;
    if (strstr(line, ".segment") != NULL && sscanf(line, "%lx-%lx", &start, &end) == 2)
      madvise((void *)start, end - start, MADV_POPULATE_WRITE);
  }
  fclose(maps);
}

int main(int count, char **arguments) {
  if (count < 2) return 64;
  long threads = atol(arguments[1]);
  if (count > 2) touch_segment();
  struct share *shares = calloc((size_t)threads, sizeof *shares);
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (long i = 0; i < threads; i++) {
    shares[i].start = all_count * i / threads;
    shares[i].end = all_count * (i + 1) / threads;
    pthread_create(&shares[i].thread, NULL, run, &shares[i]);
  }
  double first = 0, second = 0;
  for (long i = 0; i < threads; i++) {
    pthread_join(shares[i].thread, NULL);
    first += shares[i].first;
    second += shares[i].second;
  }
  printf("%.1f\n", (first - second) / (double)all_count);
  return 0;
}
