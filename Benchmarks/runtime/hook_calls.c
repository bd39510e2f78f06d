// For callgrind: hook_calls FIRST LATER makes FIRST first calls and LATER calls that are not, of the
// functions in `all`.
#include <stdlib.h>

extern void (*const all[])(void);

int main(int count, char **arguments) {
  if (count != 3) return 64;
  long first = atol(arguments[1]), later = atol(arguments[2]);
  all[0]();
  for (long i = 1; i <= first; i++) all[i]();
  for (long i = 0; i < later; i++) all[0]();
  return 0;
}
