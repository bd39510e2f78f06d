// The watched calls of one thread that have not returned.
//
// A frame is identified by its place on the stack (arch.h). The stack grows down: of two frames on
// one stack, the lower one is the inner one. A frame below the stack pointer has ended.
#ifndef FL_TRACER_SHADOW_STACK_H
#define FL_TRACER_SHADOW_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct fl_frame {
  uint64_t place;   // on the stack (fl_call_registers)
  uint64_t address;  // the return address
  uint64_t stack;  // end of the mapping that contains `place`: identifies the stack
  uint32_t call;  // index in the record
  bool is_waited_for;
  bool is_given_up;  // the return may pass unseen
};

/// All zeros mean an empty one. Frames of several stacks, such as those of coroutines and of signal
/// handlers, may be mixed.
struct fl_shadow_stack {
  struct fl_frame *frames;
  uint32_t count, capacity;
  uint64_t home;  // the stack of the thread's first frame; 0: none yet
  uint64_t current;  // the stack of the thread's last event
  uint64_t low, high;  // the mapping with the last stack pointer
};

#endif
