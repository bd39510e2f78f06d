// arm64: BRK is four bytes, as all instructions are, and the program counter stays on it. The
// return address comes in x30 and has no place on the stack until the function saves it, signed or
// not.
//
// Caches: the kernel makes instruction caches coherent with what ptrace and /proc/PID/mem write
// (flush_ptrace_access, arch/arm64/mm/flush.c of Linux); process_vm_writev(2) would not.
//
// BTI: a breakpoint may stand on a landing pad, for BRK goes before the check of the branch's
// target. The branch's type stays in PSTATE over the stop, so the pad is checked when the thread
// goes on.
#if defined(__aarch64__)
#define _GNU_SOURCE
#include "arch.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

// brk #0, which the kernel reports as SIGTRAP with TRAP_BRKPT.
const uint32_t fl_breakpoint_size = 4;
const uint8_t fl_breakpoint[FL_BREAKPOINT_MAX] = {0x00, 0x00, 0x20, 0xd4};
const uint16_t fl_machine = EM_AARCH64;

/// Bits of PSTATE: the type of the branch that led to the program counter (BTYPE).
static const uint64_t BRANCH_TYPE = 3u << 10;
enum { LINK = 30 };

bool fl_registers_get(pid_t thread, struct user_regs_struct *registers) {
  struct iovec all = {.iov_base = registers, .iov_len = sizeof *registers};
  return ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &all) == 0;
}

bool fl_registers_set(pid_t thread, const struct user_regs_struct *registers) {
  struct user_regs_struct copy = *registers;
  struct iovec all = {.iov_base = &copy, .iov_len = sizeof copy};
  return ptrace(PTRACE_SETREGSET, thread, (void *)NT_PRSTATUS, &all) == 0;
}

bool fl_pc_get(pid_t thread, uint64_t *pc) {
  struct user_regs_struct registers;
  if (!fl_registers_get(thread, &registers)) return false;
  *pc = registers.pc;
  return true;
}

bool fl_pc_set(pid_t thread, uint64_t pc) {
  struct user_regs_struct registers;
  if (!fl_registers_get(thread, &registers)) return false;
  // Where it stopped: nothing to do, and its branch type stays.
  if (registers.pc == pc) return true;
  registers.pc = pc;
  return fl_registers_set(thread, &registers);
}

uint64_t fl_breakpoint_address(uint64_t pc) { return pc; }

bool fl_call_registers(pid_t thread, int memory, struct fl_call_registers *registers) {
  (void)memory;
  struct user_regs_struct all;
  if (!fl_registers_get(thread, &all)) return false;
  // A function that calls another has moved the stack pointer down to save x30: so a frame is known
  // by the stack pointer at its entry, which is the one after its return.
  registers->place = all.sp;
  registers->address = all.regs[LINK];
  registers->argument = all.regs[0];
  return true;
}

bool fl_return_place(pid_t thread, uint64_t *place) {
  struct user_regs_struct registers;
  if (!fl_registers_get(thread, &registers)) return false;
  *place = registers.sp;
  return true;
}

bool fl_return_address_at(int memory, uint64_t place, uint64_t *address) {
  (void)memory, (void)place, (void)address;
  return false;
}

enum { CALL_NUMBER = 8 };

void fl_registers_call(struct user_regs_struct *registers, long number, uint64_t first,
                       uint64_t second) {
  enum { INSTRUCTION_SIZE = 4 };
  registers->pc -= INSTRUCTION_SIZE;
  registers->regs[CALL_NUMBER] = (uint64_t)number;
  registers->regs[0] = first;
  registers->regs[1] = second;
  registers->regs[2] = registers->regs[3] = registers->regs[4] = 0;
}

long fl_registers_result(const struct user_regs_struct *registers) {
  return (long)registers->regs[0];
}

// The result replaces the first argument only when the call is over.
void fl_registers_current_call(const struct user_regs_struct *registers, long *number,
                               uint64_t *first) {
  *number = (long)registers->regs[CALL_NUMBER];
  *first = registers->regs[0];
}

void fl_registers_set_first(struct user_regs_struct *registers, uint64_t first) {
  registers->regs[0] = first;
}

// movk wN, #0x80, lsl #16: the upper half of flags whose lower half came before.
bool fl_code_asks_for_untraced(const uint8_t *code, size_t size) {
  for (size_t at = 0; at + 4 <= size; at += 4) {
    uint32_t instruction;
    memcpy(&instruction, code + at, sizeof instruction);
    if ((instruction & ~(uint32_t)31) == 0x72a01000) return true;
  }
  return false;
}

bool fl_return_at_entry(pid_t thread, int memory) {
  (void)memory;
  struct user_regs_struct registers;
  if (!fl_registers_get(thread, &registers)) return false;
  registers.pc = registers.regs[LINK];
  // As after RET: there is no landing pad behind a call.
  registers.pstate &= ~BRANCH_TYPE;
  return fl_registers_set(thread, &registers);
}

#endif
