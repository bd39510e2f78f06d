// The id of the calling thread, without a system call.
#ifndef FL_THREAD_H
#define FL_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

struct fl_thread {
  // Where the descriptor of a thread holds its id; 0 if unknown.
  uint32_t offset;
  // A child of a raw clone keeps its parent's descriptor: the id in it, and the real one.
  uint32_t stale, real;
};

extern __attribute__((visibility("hidden"))) struct fl_thread fl_thread;

/// Finds the offset at start, and checks it in a forked child. To be called when system calls are
/// allowed.
FL_HIDDEN void fl_thread_check(void);

/// Whether the calling process is a vfork child, which borrows its parent's memory: the thread that
/// owns the descriptor then waits, in an otherwise rare state. To be called when system calls are
/// allowed.
FL_HIDDEN bool fl_thread_is_borrowed(void);

/// Queries the kernel for the id.
FL_HIDDEN uint32_t fl_thread_ask(void);

FL_LOCAL inline uint32_t fl_thread_descriptor_id(uint32_t offset) {
#if defined(__x86_64__)
  uint32_t id;
  __asm__ volatile("movl %%fs:(%1), %0" : "=r"(id) : "r"((uintptr_t)offset));
  return id;
#else
  return *(const volatile uint32_t *)((const char *)pthread_self() + offset);
#endif
}

/// A number that distinguishes the threads of a process: the calling thread's id, or an earlier
/// one.
FL_LOCAL inline uint32_t fl_thread_tag(void) {
  uint32_t offset = fl_thread.offset;
  return FL_UNLIKELY(offset == 0) ? fl_thread_ask() : fl_thread_descriptor_id(offset);
}

/// The calling thread's kernel id; in a vfork child, that of the parent's thread.
FL_LOCAL inline uint32_t fl_thread_id(void) {
  uint32_t id = fl_thread_tag();
  return FL_UNLIKELY(id == fl_thread.stale) ? fl_thread.real : id;
}

#endif
