#define _GNU_SOURCE
#include <sched.h>

#include "firstlight_launcher.h"

_Static_assert(sizeof(cpu_set_t) >= FL_CPU_AFFINITY_WORDS * sizeof(uint64_t),
               "a set holds the mask");

bool fl_cpu_affinity_get(uint64_t mask[FL_CPU_AFFINITY_WORDS]) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
  for (int word = 0; word < FL_CPU_AFFINITY_WORDS; word++) {
    mask[word] = 0;
    for (int bit = 0; bit < 64; bit++) {
      if (CPU_ISSET(word * 64 + bit, &set)) mask[word] |= (uint64_t)1 << bit;
    }
  }
  return true;
}

bool fl_cpu_affinity_set(const uint64_t mask[FL_CPU_AFFINITY_WORDS]) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < FL_CPU_AFFINITY_WORDS * 64; cpu++) {
    if (mask[cpu / 64] >> (cpu % 64) & 1) CPU_SET(cpu, &set);
  }
  return sched_setaffinity(0, sizeof set, &set) == 0;
}
