#define _GNU_SOURCE
#include "thread.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libc.h"
#include "proc.h"
#include "text.h"

struct fl_thread fl_thread;

/// Where libc's descriptor of a thread has the thread's id. The kernel writes it there when the
/// thread is created, and libc when it forks a process. The runtime reads it there: a filter could
/// forbid a system call, and thread-local storage is scarce for libraries that are loaded late. No
/// libc documents the place, so the id there is compared with the kernel's answer before use.
///
/// glibc, nptl/descr.h: `tid` of struct pthread, after 704 bytes of thread control block on x86-64
/// and 192 on aarch64, and 16 bytes of a list. musl, src/internal/pthread_impl.h: `tid`, after six
/// pointers on x86-64 and four on aarch64.
FL_LOCAL uint32_t expected_offset(void) {
#if defined(__x86_64__)
  return fl_is_glibc() ? 720 : 48;
#else
  return fl_is_glibc() ? 208 : 32;
#endif
}

FL_HIDDEN uint32_t fl_thread_ask(void) { return (uint32_t)syscall(SYS_gettid); }

FL_HIDDEN bool fl_thread_is_borrowed(void) {
  if (fl_thread.offset == 0) return false;
  uint32_t id = fl_thread_descriptor_id(fl_thread.offset);
  if (id == fl_thread_ask()) return false;
  char bytes[256];
  struct text path = {bytes, 0, sizeof bytes};
  append(&path, "/proc/");
  append_number(&path, (uint64_t)getppid(), 10, 1);
  append(&path, "/task/");
  append_number(&path, id, 10, 1);
  append(&path, "/stat");
  bytes[fl_proc_read(bytes, bytes, sizeof bytes - 1)] = '\0';
  const char *name_end = strrchr(bytes, ')');
  return name_end != NULL && strncmp(name_end, ") D", 3) == 0;
}

FL_HIDDEN void fl_thread_check(void) {
  // A vfork child's own id lives no longer than the borrowing.
  if (fl_thread_is_borrowed()) return;
  uint32_t offset = expected_offset();
  uint32_t real = fl_thread_ask(), seen = fl_thread_descriptor_id(offset);
  if (fl_thread.offset == 0) {
    if (seen == real) fl_thread.offset = offset;
    return;
  }
  fl_thread.stale = seen == real ? 0 : seen;
  fl_thread.real = real;
}
