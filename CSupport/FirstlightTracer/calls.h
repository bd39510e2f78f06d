// Calls of watched functions: their beginning and, if the host asks for it, their end.
#ifndef FL_TRACER_CALLS_H
#define FL_TRACER_CALLS_H

#include "tracer.h"

/// Called with a thread at the first instruction of a watched function. Returns true if the
/// function is about to call `main`, whose address is then in `main_address`.
bool fl_call_entered(struct fl_tracer *tracer, struct fl_task *task,
                     const struct fl_mapped_image *image, uint32_t function,
                     uint64_t *main_address);

/// Lets a thread pass the breakpoint of a function that stays watched. If the instruction there has
/// to be stepped, the breakpoint is removed for it, and another thread may enter unseen.
void fl_call_pass(struct fl_task *task, struct fl_mapped_image *image, uint32_t function,
                  uint64_t address);

/// Called with a thread that has hit a return breakpoint. Resumes the thread from there.
void fl_return_site_hit(struct fl_tracer *tracer, struct fl_task *task,
                        struct fl_return_site *site);

/// Called when a thread has executed one instruction without its breakpoint.
void fl_step_ended(struct fl_task *task);

/// Called when a thread has ended or executed another program. `memory_is_left`: other threads
/// still use its memory.
void fl_calls_end(struct fl_task *task, bool memory_is_left);

#endif
