// x86-64: int3 is one byte, and the program counter is behind it afterwards.
#if !defined(__x86_64__) && !defined(__aarch64__)
#error "no breakpoint recorder for this architecture yet: write a file like this one"
#endif

#if defined(__x86_64__)
#define _GNU_SOURCE
#include "arch.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <unistd.h>

#include <elf.h>

const uint32_t fl_breakpoint_size = 1;
const uint8_t fl_breakpoint[FL_BREAKPOINT_MAX] = {0xcc};
const uint16_t fl_machine = EM_X86_64;

static bool get_register(pid_t thread, size_t offset, uint64_t *value) {
  // A word of all ones is a valid value: only errno shows an error.
  errno = 0;
  long word = ptrace(PTRACE_PEEKUSER, thread, (void *)offset, NULL);
  *value = (uint64_t)word;
  return errno == 0;
}

static bool set_register(pid_t thread, size_t offset, uint64_t value) {
  return ptrace(PTRACE_POKEUSER, thread, (void *)offset, (void *)value) == 0;
}

bool fl_pc_get(pid_t thread, uint64_t *pc) {
  return get_register(thread, offsetof(struct user_regs_struct, rip), pc);
}

bool fl_pc_set(pid_t thread, uint64_t pc) {
  return set_register(thread, offsetof(struct user_regs_struct, rip), pc);
}

uint64_t fl_breakpoint_address(uint64_t pc) { return pc - 1; }

bool fl_call_registers(pid_t thread, int memory, struct fl_call_registers *registers) {
  struct user_regs_struct all;
  if (ptrace(PTRACE_GETREGS, thread, NULL, &all) != 0) return false;
  registers->place = all.rsp;
  registers->argument = all.rdi;
  return pread(memory, &registers->address, sizeof registers->address, (off_t)all.rsp) ==
         sizeof registers->address;
}

bool fl_return_place(pid_t thread, uint64_t *place) {
  if (!get_register(thread, offsetof(struct user_regs_struct, rsp), place)) return false;
  *place -= sizeof(uint64_t);
  return true;
}

bool fl_return_address_at(int memory, uint64_t place, uint64_t *address) {
  return pread(memory, address, sizeof *address, (off_t)place) == sizeof *address;
}

void fl_break(void) { __asm__ volatile("int3"); }

// It is behind the instruction already.
bool fl_break_pass(pid_t thread) {
  (void)thread;
  return true;
}

bool fl_return_at_entry(pid_t thread, int memory) {
  uint64_t stack;
  uint64_t caller;
  size_t at = offsetof(struct user_regs_struct, rsp);
  if (!get_register(thread, at, &stack)) return false;
  if (pread(memory, &caller, sizeof caller, (off_t)stack) != sizeof caller) return false;
  return set_register(thread, at, stack + sizeof caller) && fl_pc_set(thread, caller);
}

#endif
