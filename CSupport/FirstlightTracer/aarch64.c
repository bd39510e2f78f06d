// arm64: BRK has four bytes, like all instructions, and the program counter stays on it. The return
// address is in x30. It has no place on the stack until the function saves it, signed or not.
//
// Caches: the kernel makes instruction caches coherent after writes by ptrace and /proc/PID/mem
// (flush_ptrace_access, arch/arm64/mm/flush.c of Linux), but not after process_vm_writev(2).
//
// BTI: a breakpoint may replace a landing pad, because BRK comes before the check of the branch's
// target. PSTATE keeps the branch's type during the stop, so the pad is checked when the thread
// resumes.
#if defined(__aarch64__)
#define _GNU_SOURCE
#include "arch.h"

#include <elf.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

// brk #0, which the kernel reports as SIGTRAP with TRAP_BRKPT.
const uint32_t fl_breakpoint_size = 4;
const uint8_t fl_breakpoint[FL_BREAKPOINT_MAX] = {0x00, 0x00, 0x20, 0xd4};
const uint16_t fl_machine = EM_AARCH64;

/// Bits of PSTATE: the type of the branch that led to the program counter (BTYPE).
static const uint64_t BRANCH_TYPE = 3u << 10;
enum { FRAME = 29, LINK = 30 };

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
  // The thread is still where it stopped, and keeps its branch type.
  if (registers.pc == pc) return true;
  registers.pc = pc;
  return fl_registers_set(thread, &registers);
}

uint64_t fl_breakpoint_address(uint64_t pc) { return pc; }

bool fl_call_registers(pid_t thread, int memory, struct fl_call_registers *registers) {
  (void)memory;
  struct user_regs_struct all;
  if (!fl_registers_get(thread, &all)) return false;
  // A function that calls another has moved the stack pointer down to save x30. So the stack
  // pointer at its entry, which is the same after its return, identifies the frame.
  registers->place = all.sp;
  registers->address = all.regs[LINK];
  registers->arguments[0] = all.regs[0];
  registers->arguments[1] = all.regs[1];
  registers->stack = all.sp;
  registers->frame = all.regs[FRAME];
  return true;
}

bool fl_return_place(pid_t thread, uint64_t *place) {
  struct user_regs_struct registers;
  if (!fl_registers_get(thread, &registers)) return false;
  *place = registers.sp;
  return true;
}

bool fl_return_value(pid_t thread, uint64_t *value) {
  struct user_regs_struct registers;
  if (!fl_registers_get(thread, &registers)) return false;
  *value = registers.regs[0];
  return true;
}

bool fl_execute_saved(pid_t thread, int memory, const uint8_t *saved) {
  (void)thread, (void)memory, (void)saved;
  return false;
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

// The result replaces the first argument only at the end of the call.
void fl_registers_current_call(const struct user_regs_struct *registers, long *number,
                               uint64_t *first) {
  *number = (long)registers->regs[CALL_NUMBER];
  *first = registers->regs[0];
}

void fl_registers_set_first(struct user_regs_struct *registers, uint64_t first) {
  registers->regs[0] = first;
}

bool fl_return_at_entry(pid_t thread, int memory) {
  (void)memory;
  struct user_regs_struct registers;
  if (!fl_registers_get(thread, &registers)) return false;
  registers.pc = registers.regs[LINK];
  // As after RET: there is no landing pad after a call.
  registers.pstate &= ~BRANCH_TYPE;
  return fl_registers_set(thread, &registers);
}

#endif
