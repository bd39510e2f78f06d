// x86-64: int3 has one byte, and the program counter is after it at the stop.
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
  // A word of all ones is a valid value, so only errno shows an error.
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
  registers->arguments[0] = all.rdi;
  registers->arguments[1] = all.rsi;
  registers->stack = all.rsp + sizeof registers->address;
  registers->frame = all.rbp;
  return pread(memory, &registers->address, sizeof registers->address, (off_t)all.rsp) ==
         sizeof registers->address;
}

bool fl_return_place(pid_t thread, uint64_t *place) {
  if (!get_register(thread, offsetof(struct user_regs_struct, rsp), place)) return false;
  *place -= sizeof(uint64_t);
  return true;
}

bool fl_return_value(pid_t thread, uint64_t *value) {
  return get_register(thread, offsetof(struct user_regs_struct, rax), value);
}

bool fl_execute_saved(pid_t thread, int memory, const uint8_t *saved) {
  enum { PUSH_RBP = 0x55 };
  struct user_regs_struct all;
  if (saved[0] != PUSH_RBP || ptrace(PTRACE_GETREGS, thread, NULL, &all) != 0) return false;
  uint64_t pushed = all.rbp;
  all.rsp -= sizeof pushed;
  all.rip++;
  return pwrite(memory, &pushed, sizeof pushed, (off_t)all.rsp) == sizeof pushed &&
         ptrace(PTRACE_SETREGS, thread, NULL, &all) == 0;
}

bool fl_return_address_at(int memory, uint64_t place, uint64_t *address) {
  return pread(memory, address, sizeof *address, (off_t)place) == sizeof *address;
}

bool fl_registers_get(pid_t thread, struct user_regs_struct *registers) {
  return ptrace(PTRACE_GETREGS, thread, NULL, registers) == 0;
}

bool fl_registers_set(pid_t thread, const struct user_regs_struct *registers) {
  return ptrace(PTRACE_SETREGS, thread, NULL, registers) == 0;
}

void fl_registers_call(struct user_regs_struct *registers, long number, uint64_t first,
                       uint64_t second) {
  enum { INSTRUCTION_SIZE = 2 };
  registers->rip -= INSTRUCTION_SIZE;
  registers->rax = (uint64_t)number;
  registers->rdi = first;
  registers->rsi = second;
  registers->rdx = registers->r10 = registers->r8 = 0;
}

long fl_registers_result(const struct user_regs_struct *registers) { return (long)registers->rax; }

void fl_registers_current_call(const struct user_regs_struct *registers, long *number,
                               uint64_t *first) {
  *number = (long)registers->orig_rax;
  *first = registers->rdi;
}

void fl_registers_set_first(struct user_regs_struct *registers, uint64_t first) {
  registers->rdi = first;
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
