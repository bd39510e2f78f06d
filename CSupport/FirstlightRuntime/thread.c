#define _GNU_SOURCE
#include "thread.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc.h"
#include "text.h"

struct fl_thread fl_thread;

FL_HIDDEN uint32_t fl_thread_ask(void) { return (uint32_t)syscall(SYS_gettid); }

FL_HIDDEN bool fl_thread_is_borrowed(void) {
#ifdef FL_THREAD_ID_OFFSET
  if (!fl_thread.is_known || fl_thread_descriptor_id() == fl_thread_ask()) return false;
  char bytes[256];
  struct text path = {bytes, 0, sizeof bytes};
  append(&path, "/proc/");
  append_number(&path, (uint64_t)getppid(), 10, 1);
  append(&path, "/task/");
  append_number(&path, fl_thread_descriptor_id(), 10, 1);
  append(&path, "/stat");
  bytes[fl_proc_read(bytes, bytes, sizeof bytes - 1)] = '\0';
  const char *name_end = strrchr(bytes, ')');
  return name_end != NULL && strncmp(name_end, ") D", 3) == 0;
#else
  return false;
#endif
}

FL_HIDDEN void fl_thread_check(void) {
#ifdef FL_THREAD_ID_OFFSET
  // A vfork child's own id lives no longer than the borrowing.
  if (fl_thread_is_borrowed()) return;
  uint32_t real = fl_thread_ask(), seen = fl_thread_descriptor_id();
  if (!fl_thread.is_known) {
    fl_thread.is_known = seen == real;
    return;
  }
  fl_thread.stale = seen == real ? 0 : seen;
  fl_thread.real = real;
#endif
}
