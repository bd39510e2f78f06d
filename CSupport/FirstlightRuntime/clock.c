#define _GNU_SOURCE
#include "clock.h"

#include <time.h>

FL_HIDDEN unsigned long long fl_clock(int clock) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}
