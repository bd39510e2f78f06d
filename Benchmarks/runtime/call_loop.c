// Prints what one call of called() takes, ns: the best of several rounds, as other work on the
// machine only ever adds. call_loop [CALLS [ROUNDS]]
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void called(void);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int count, char **arguments) {
  long calls = count > 1 ? atol(arguments[1]) : 10000000;
  long rounds = count > 2 ? atol(arguments[2]) : 5;
  double best = 1e18;
  for (long round = 0; round < rounds; round++) {
    double start = now();
    for (long i = 0; i < calls; i++) called();
    double each = (now() - start) / (double)calls;
    if (each < best) best = each;
  }
  printf("%.3f\n", best);
  return 0;
}
