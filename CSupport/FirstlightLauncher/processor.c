#define _GNU_SOURCE
#include <sched.h>

#include "firstlight_launcher.h"

_Static_assert(sizeof(cpu_set_t) >= FL_PROCESSOR_WORDS * sizeof(uint64_t), "a set holds the mask");

bool fl_processors(uint64_t mask[FL_PROCESSOR_WORDS]) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
  for (int word = 0; word < FL_PROCESSOR_WORDS; word++) {
    mask[word] = 0;
    for (int bit = 0; bit < 64; bit++) {
      if (CPU_ISSET(word * 64 + bit, &set)) mask[word] |= (uint64_t)1 << bit;
    }
  }
  return true;
}

bool fl_use_processors(const uint64_t mask[FL_PROCESSOR_WORDS]) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor = 0; processor < FL_PROCESSOR_WORDS * 64; processor++) {
    if (mask[processor / 64] >> (processor % 64) & 1) CPU_SET(processor, &set);
  }
  return sched_setaffinity(0, sizeof set, &set) == 0;
}
