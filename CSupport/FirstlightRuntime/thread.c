#define _GNU_SOURCE
#include "thread.h"

#include <sys/syscall.h>
#include <unistd.h>

struct fl_thread fl_thread;

FL_HIDDEN uint32_t fl_thread_ask(void) { return (uint32_t)syscall(SYS_gettid); }

FL_HIDDEN void fl_thread_check(void) {
#ifdef FL_THREAD_ID_OFFSET
  uint32_t real = fl_thread_ask(), seen = fl_thread_descriptor_id();
  if (!fl_thread.is_known) {
    fl_thread.is_known = seen == real;
    return;
  }
  fl_thread.stale = seen == real ? 0 : seen;
  fl_thread.real = real;
#endif
}
