// The differences between architectures. One .c file for each implements them.
#ifndef FL_TRACER_ARCH_H
#define FL_TRACER_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/// Bytes of a breakpoint instruction, at most those of the smallest instruction.
enum { FL_BREAKPOINT_MAX = 4 };
extern const uint32_t fl_breakpoint_size;
extern const uint8_t fl_breakpoint[FL_BREAKPOINT_MAX];

/// e_machine of programs that can be traced.
extern const uint16_t fl_machine;

/// The program counter of a stopped thread; false with errno if it cannot be read.
bool fl_pc_get(pid_t thread, uint64_t *pc);
bool fl_pc_set(pid_t thread, uint64_t pc);

/// The address of the breakpoint that stopped a thread whose program counter is `pc`.
uint64_t fl_breakpoint_address(uint64_t pc);

/// The call with which a thread has reached the first instruction of a function.
struct fl_call_registers {
  uint64_t place;    // the frame's place on the stack; inner calls have lower ones
  uint64_t address;  // the return address
  uint64_t arguments[2];  // the first two
  uint64_t stack;  // the caller's stack pointer after the return
  uint64_t frame;  // the caller's frame pointer
};
bool fl_call_registers(pid_t thread, int memory, struct fl_call_registers *registers);

/// The place of the call from which a thread has just returned.
bool fl_return_place(pid_t thread, uint64_t *place);

/// The result of the function from which a thread has just returned.
bool fl_return_value(pid_t thread, uint64_t *value);

/// Executes for a thread the first instruction of a function, which a breakpoint replaces. The
/// thread is at the breakpoint's address. `saved`: the original bytes. False if the instruction is
/// not the usual one of a function with a frame; nothing has changed then.
bool fl_execute_saved(pid_t thread, int memory, const uint8_t *saved);

/// The return address stored at the place of a call; false if unknown, for example because
/// functions store it anywhere.
bool fl_return_address_at(int memory, uint64_t place, uint64_t *address);

/// Makes a stopped thread return at once from a function, at whose first instruction the thread is.
/// The function must be one that does nothing.
bool fl_return_at_entry(pid_t thread, int memory);

/// All registers of a stopped thread; false with errno.
bool fl_registers_get(pid_t thread, struct user_regs_struct *registers);
bool fl_registers_set(pid_t thread, const struct user_regs_struct *registers);

/// Changes the registers of a thread, right after a system call, so that the thread makes another
/// call: the same instruction is executed again.
void fl_registers_call(struct user_regs_struct *registers, long number, uint64_t first,
                       uint64_t second);
long fl_registers_result(const struct user_regs_struct *registers);

/// The number and the first argument of a thread's current system call.
void fl_registers_current_call(const struct user_regs_struct *registers, long *number,
                               uint64_t *first);
void fl_registers_set_first(struct user_regs_struct *registers, uint64_t first);

#endif
