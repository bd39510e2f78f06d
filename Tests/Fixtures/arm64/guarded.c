// A program whose code is guarded (BTI), with signed return addresses (PAC), without a C library that
// would have to be so too: guarded called|unpadded
//
// called: functions are called through pointers, so each has to begin with its landing pad. unpadded:
// one has none; it has to end the program, or nothing is checked here.
#include <stddef.h>

typedef long word;

static word system_call(word number, word a, word b, word c) {
  register word x8 __asm__("x8") = number;
  register word x0 __asm__("x0") = a;
  register word x1 __asm__("x1") = b;
  register word x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}

static volatile int calls;

// bti c.
__attribute__((noinline)) static void leaf(void) { calls++; }
// paciasp, which is a landing pad too.
__attribute__((noinline)) static void signs(void) {
  leaf();
  calls++;
}
void unpadded(void);
__asm__(".text\n.type unpadded, %function\nunpadded:\n  ret\n.size unpadded, . - unpadded\n");

static void (*volatile pointers[])(void) = {leaf, signs, unpadded};

__attribute__((noreturn, used)) static void run(const word *stack) {
  const char *way = (const char *)stack[2];
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < 2; i++) pointers[i]();
  if (way[0] == 'u') pointers[2]();
  system_call(64, 1, (word) "guarded\n", 8);
  system_call(94, calls, 0, 0);
  __builtin_unreachable();
}

__asm__(
    ".globl _start\n.type _start, %function\n_start:\n  bti c\n  mov x0, sp\n  b run\n"
    ".size _start, . - _start\n");
