// The id of the calling thread, without a system call.
#ifndef FL_THREAD_H
#define FL_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

// The kernel writes a thread's id into its descriptor when the thread is created, and when libc
// forks a process. The runtime reads it there. A filter could forbid a system call, and
// thread-local storage is scarce for libraries that are loaded late. libc does not document the
// offset, so it is compared with the kernel's answer before use.
//
// glibc, nptl/descr.h: `tid` of struct pthread, after 704 bytes of thread control block on x86-64
// and 192 on aarch64, and 16 bytes of a list.
#if defined(__GLIBC__) && defined(__x86_64__)
#define FL_THREAD_ID_OFFSET 720
#elif defined(__GLIBC__) && defined(__aarch64__)
#define FL_THREAD_ID_OFFSET 208
#endif

struct fl_thread {
  bool is_known;  // the descriptor holds ids at the assumed offset
  // A child of a raw clone keeps its parent's descriptor: the id in it, and the real one.
  uint32_t stale, real;
};

extern __attribute__((visibility("hidden"))) struct fl_thread fl_thread;

/// Checks the offset, at start and in a forked child. To be called when system calls are allowed.
FL_HIDDEN void fl_thread_check(void);

/// Whether the calling process is a vfork child, which borrows its parent's memory: the thread that
/// owns the descriptor then waits, in an otherwise rare state. To be called when system calls are
/// allowed.
FL_HIDDEN bool fl_thread_is_borrowed(void);

/// Queries the kernel for the id.
FL_HIDDEN uint32_t fl_thread_ask(void);

#ifdef FL_THREAD_ID_OFFSET
FL_LOCAL inline uint32_t fl_thread_descriptor_id(void) {
#if defined(__x86_64__)
  uint32_t id;
  __asm__ volatile("movl %%fs:%c1, %0" : "=r"(id) : "i"(FL_THREAD_ID_OFFSET));
  return id;
#else
  return *(const volatile uint32_t *)((const char *)pthread_self() + FL_THREAD_ID_OFFSET);
#endif
}
#endif

/// A number that distinguishes the threads of a process: the calling thread's id, or an earlier
/// one.
FL_LOCAL inline uint32_t fl_thread_tag(void) {
#ifdef FL_THREAD_ID_OFFSET
  if (!FL_UNLIKELY(!fl_thread.is_known)) return fl_thread_descriptor_id();
#endif
  return fl_thread_ask();
}

/// The calling thread's kernel id; in a vfork child, that of the parent's thread.
FL_LOCAL inline uint32_t fl_thread_id(void) {
  uint32_t id = fl_thread_tag();
  return FL_UNLIKELY(id == fl_thread.stale) ? fl_thread.real : id;
}

#endif
