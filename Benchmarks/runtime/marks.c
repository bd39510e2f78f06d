// Prints ns for each of: a mark, a span, and the clock they read.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "firstlight.h"

enum { COUNT = 3500 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void) {
  firstlight_mark("first");  // makes the file
  double start = now();
  for (int i = 0; i < COUNT; i++) firstlight_mark("config loaded");
  double marked = now();
  for (int i = 0; i < COUNT; i++) firstlight_span_end(firstlight_span_begin("tls"));
  double spanned = now();
  struct timespec time;
  for (int i = 0; i < COUNT; i++) clock_gettime(CLOCK_MONOTONIC, &time);
  double read = now();
  printf("%.2f %.2f %.2f\n", (marked - start) / COUNT, (spanned - marked) / COUNT,
         (read - spanned) / COUNT);
  return 0;
}
