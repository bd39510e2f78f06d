// The recorder that is widely copied: each call of the hook takes a node from malloc and pushes it
// onto a lock-free list, to be sorted out at the end.
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
  void *pc;
  struct node *next;
};

static _Atomic(struct node *) head;

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  static uint32_t number;
  if (start == stop || *start) return;
  for (uint32_t *guard = start; guard < stop; guard++) *guard = ++number;
}

void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  (void)start, (void)stop;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (!*guard) return;
  struct node *node = malloc(sizeof *node);
  node->pc = __builtin_return_address(0);
  node->next = atomic_load(&head);
  while (!atomic_compare_exchange_weak(&head, &node->next, node)) continue;
}
