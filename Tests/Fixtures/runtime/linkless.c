// The file system of FIRSTLIGHT_DIR refuses hard links, with the errno in REFUSAL.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((no_sanitize("coverage"))) int link(const char *from, const char *to) {
  (void)from, (void)to;
  errno = atoi(getenv("REFUSAL"));
  return -1;
}

void called(void) {}

int main(void) {
  called();
  return 0;
}
