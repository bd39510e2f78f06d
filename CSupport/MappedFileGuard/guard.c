#define _GNU_SOURCE
#include "mapped_file_guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct fl_guarded_mapping {
  /// First byte; 0 if free, 1 if claimed. Stored with release after `size` and `lost_pages`, which
  /// the handler reads after its acquire load.
  _Atomic uintptr_t start;
  _Atomic size_t size;
  _Atomic bool lost_pages;
  /// Set once, before the mapping is published in `mappings`.
  struct fl_guarded_mapping *next;
};

enum { FREE = 0, CLAIMED = 1 };

/// All mappings, newest first. The list only grows, so that a handler can walk it while other
/// threads add to it.
static _Atomic(struct fl_guarded_mapping *) mappings;
static struct sigaction before;
static uintptr_t page_size;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// Replaces a page beyond the end of a guarded file by zeros. False if no mapping has the address.
static bool replace_page(uintptr_t address) {
  // Acquires the release in `fl_guard_mapping`.
  struct fl_guarded_mapping *mapping = atomic_load_explicit(&mappings, memory_order_acquire);
  for (; mapping != NULL; mapping = mapping->next) {
    uintptr_t start = atomic_load_explicit(&mapping->start, memory_order_acquire);
    if (start <= CLAIMED || address < start ||
        address - start >= atomic_load_explicit(&mapping->size, memory_order_relaxed))
      continue;
    // Read by `fl_guarded_mapping_lost_pages` on this thread, or after this thread was joined.
    atomic_store_explicit(&mapping->lost_pages, true, memory_order_relaxed);
    return mmap((void *)(address & ~(page_size - 1)), page_size, PROT_READ | PROT_WRITE,
                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  }
  return false;
}

static void on_bus_error(int signal, siginfo_t *info, void *context) {
  int saved = errno;
  bool is_fault = info->si_code > 0;
  if (is_fault && replace_page((uintptr_t)info->si_addr)) {
    errno = saved;
  } else if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else if (is_fault || before.sa_handler == SIG_DFL) {
    // The default action. A fault is raised again on return.
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    if (!is_fault) raise(signal);
  }
}

static void install(void) {
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, NULL, &before);
  sigaction(SIGBUS, &action, NULL);
}

/// A free or new mapping; claimed, so that no other thread takes it.
static struct fl_guarded_mapping *claim(void) {
  struct fl_guarded_mapping *mapping = atomic_load_explicit(&mappings, memory_order_acquire);
  for (; mapping != NULL; mapping = mapping->next) {
    uintptr_t expected = FREE;
    // Pairs with the release in `fl_unguard_mapping`.
    if (atomic_compare_exchange_strong_explicit(&mapping->start, &expected, CLAIMED,
                                                memory_order_acquire, memory_order_relaxed))
      return mapping;
  }
  mapping = calloc(1, sizeof *mapping);
  if (mapping == NULL) return NULL;
  atomic_init(&mapping->start, CLAIMED);
  mapping->next = atomic_load_explicit(&mappings, memory_order_relaxed);
  // Releases `next`; pairs with the acquiring loads of threads that walk the list.
  while (!atomic_compare_exchange_weak_explicit(&mappings, &mapping->next, mapping,
                                                memory_order_release, memory_order_relaxed)) {}
  return mapping;
}

struct fl_guarded_mapping *fl_guard_mapping(void *start, size_t size) {
  pthread_once(&once, install);
  struct fl_guarded_mapping *mapping = claim();
  if (mapping == NULL) return NULL;
  atomic_store_explicit(&mapping->size, size, memory_order_relaxed);
  atomic_store_explicit(&mapping->lost_pages, false, memory_order_relaxed);
  // Pairs with the acquiring load in `replace_page`.
  atomic_store_explicit(&mapping->start, (uintptr_t)start, memory_order_release);
  return mapping;
}

bool fl_guarded_mapping_lost_pages(const struct fl_guarded_mapping *mapping) {
  return atomic_load_explicit(&mapping->lost_pages, memory_order_relaxed);
}

void fl_unguard_mapping(struct fl_guarded_mapping *mapping) {
  // Pairs with the acquire in `claim`.
  atomic_store_explicit(&mapping->start, FREE, memory_order_release);
}
