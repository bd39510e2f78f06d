// Several calls may return to the same return breakpoint: calls by other threads, and inner calls
// of a recursion. Only the stack shows which call has returned. Other hits are stepped over, with
// the breakpoint removed for one instruction. Other threads may return unseen meanwhile, and their
// calls are marked so. After too many hits by other calls, a breakpoint is given up.
#define _GNU_SOURCE
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "mappings.h"

enum { MOST_PASSED = 64, SEVERAL_THREADS = -1 };

static bool waits_for_returns(const struct fl_tracer *tracer) {
  return (tracer->host.flags & FL_TRACER_RETURNS) != 0;
}

static bool records_every_call(const struct fl_tracer *tracer) {
  return (tracer->host.flags & FL_TRACER_EVERY_CALL) != 0;
}

static struct fl_tracer_return *return_of(struct fl_task *task, const struct fl_frame *frame) {
  return &task->space->record->returns[frame->call];
}

/// Marks a call whose return may pass unseen. Its thread may end without a later event that shows
/// this.
static void give_up_frame(struct fl_task *task, struct fl_frame *frame) {
  frame->is_given_up = true;
  return_of(task, frame)->ending = FL_TRACER_UNSEEN;
}

/// Stops waiting for a frame's return.
static void stop_waiting(struct fl_task *task, struct fl_frame *frame) {
  struct fl_return_site *site =
      frame->is_waited_for ? fl_return_site_find(&task->space->returns, frame->address) : NULL;
  frame->is_waited_for = false;
  if (site == NULL || site->waiting == 0) return;
  if (site->stepper != 0 && site->stepper != task->thread) give_up_frame(task, frame);
  if (--site->waiting > 0) return;
  site->passed = 0;
  site->stepper = 0;
  fl_space_restore_return(task->space, site, task->thread);
}

/// The stack that contains an address, identified by the end of its mapping.
static uint64_t stack_of(struct fl_task *task, uint64_t place) {
  struct fl_shadow_stack *calls = &task->calls;
  if (place >= calls->low && place < calls->high) return calls->high;
  if (!fl_mapping_around(task->thread, place, &calls->low, &calls->high))
    calls->low = calls->high = 0;
  return calls->high;
}

/// The innermost frame on a stack; NULL if there is none.
static struct fl_frame *top_of(struct fl_shadow_stack *calls, uint64_t stack) {
  for (uint32_t i = calls->count; i-- > 0;)
    if (calls->frames[i].stack == stack) return &calls->frames[i];
  return NULL;
}

static void remove_frame(struct fl_shadow_stack *calls, struct fl_frame *frame) {
  uint32_t after = calls->count - (uint32_t)(frame - calls->frames) - 1;
  memmove(frame, frame + 1, after * sizeof *frame);
  calls->count--;
}

/// Notes that a thread has left a frame without a return, and removes the frame.
static void note_unwound(struct fl_task *task, struct fl_frame *frame, bool is_certain) {
  return_of(task, frame)->ending = is_certain ? FL_TRACER_UNWOUND : FL_TRACER_UNSEEN;
  remove_frame(&task->calls, frame);
}

/// Drops a frame that the thread has left without a return. Returns whether that is certain: one
/// mapping may hold several stacks of coroutines.
static bool drop(struct fl_task *task, struct fl_frame *frame) {
  stop_waiting(task, frame);  // may give the frame up
  bool is_certain = !frame->is_given_up && frame->stack == task->calls.home;
  note_unwound(task, frame, is_certain);
  return is_certain;
}

/// Drops frames that a thread has left without a return, because it uses the stack from `place` on
/// for other frames. `address`: the return address there now; 0: none. Returns whether a frame was
/// certainly left.
static bool drop_unwound(struct fl_task *task, uint64_t stack, uint64_t place, uint64_t address) {
  bool is_certain = false;
  struct fl_frame *top;
  while ((top = top_of(&task->calls, stack)) != NULL) {
    if (top->place > place) break;
    if (top->place == place && (address == 0 || top->address == address)) break;
    is_certain |= drop(task, top);
  }
  return is_certain;
}

/// Drops frames with an overwritten return address.
static void drop_overwritten(struct fl_task *task, uint64_t stack) {
  struct fl_frame *top;
  while ((top = top_of(&task->calls, stack)) != NULL) {
    uint64_t address;
    if (!fl_return_address_at(task->space->memory, top->place, &address) || address == top->address)
      break;
    drop(task, top);
  }
}

/// The frame that encloses a new call on `stack`: the innermost one there. If the stack has none
/// and is not the thread's own, the innermost frame of the last stack, which switched to it. Notes
/// the stack as the last one.
static const struct fl_frame *enclosing(struct fl_shadow_stack *calls, uint64_t stack) {
  if (calls->home == 0) calls->home = stack;
  const struct fl_frame *top = top_of(calls, stack);
  if (top == NULL && stack != calls->home) top = top_of(calls, calls->current);
  calls->current = stack;
  return top;
}

/// Plants a return breakpoint. False if that is impossible.
static bool await_return(struct fl_task *task, uint64_t address) {
  struct fl_space *space = task->space;
  uint32_t function;
  // If a function ends with a call that never returns, the return address is the beginning of the
  // next function.
  if (space->is_restored || !fl_space_is_code(space, address) ||
      fl_space_find(space, address, &function) != NULL)
    return false;
  struct fl_return_site *site = fl_return_site_add(&space->returns, address);
  if (site == NULL || !fl_space_plant_return(space, site, task->thread)) return false;
  site->waiting++;
  return true;
}

static void push(struct fl_task *task, uint32_t index, const struct fl_call_registers *at) {
  struct fl_shadow_stack *calls = &task->calls;
  struct fl_tracer_return *call = &task->space->record->returns[index];
  uint64_t stack = stack_of(task, at->place);
  drop_unwound(task, stack, at->place, at->address);
  drop_overwritten(task, stack);
  const struct fl_frame *top = enclosing(calls, stack);
  call->parent = top != NULL ? (int32_t)top->call : -1;
  call->is_tail_call = top != NULL && top->place == at->place && top->stack == stack;
  if (calls->count == calls->capacity) {
    uint32_t capacity = calls->capacity == 0 ? 32 : calls->capacity * 2;
    struct fl_frame *frames = realloc(calls->frames, capacity * sizeof *frames);
    if (frames == NULL) {
      call->ending = FL_TRACER_UNSEEN;
      return;
    }
    calls->frames = frames;
    calls->capacity = capacity;
  }
  bool is_waited_for = await_return(task, at->address);
  calls->frames[calls->count++] = (struct fl_frame){.place = at->place,
                                                    .address = at->address,
                                                    .stack = stack,
                                                    .call = index,
                                                    .is_waited_for = is_waited_for,
                                                    .is_given_up = !is_waited_for};
}

bool fl_call_entered(struct fl_tracer *tracer, struct fl_task *task,
                     const struct fl_mapped_image *image, uint32_t function,
                     uint64_t *main_address) {
  struct fl_record *record = fl_space_record(task->space, &tracer->records);
  if (record == NULL) return false;
  struct fl_tracer_call call = {.image = image->sites.image,
                                .function = function,
                                .thread = (uint32_t)task->thread,
                                .time = tracer->seen};
  int32_t index = fl_record_add_call(&tracer->records, record, &call, waits_for_returns(tracer));
  if (index < 0 || !waits_for_returns(tracer)) return false;
  struct fl_tracer_return *returned = &record->returns[index];
  *returned = (struct fl_tracer_return){.parent = -1, .ending = FL_TRACER_UNSEEN};
  struct fl_call_registers at = {0};
  if (fl_call_registers(task->thread, task->space->memory, &at)) {
    returned->ending = FL_TRACER_RUNNING;
    returned->argument = at.arguments[0];
    push(task, (uint32_t)index, &at);
  }
  record->returns[index].before = fl_space_faults(task->space, task->process);
  *main_address = at.arguments[0];
  if (tracer->host.entered != NULL && records_every_call(tracer)) {
    struct fl_tracer_entry entry = {.process = task->process,
                                    .record = record->index,
                                    .call = (uint32_t)index,
                                    .image = call.image,
                                    .function = function,
                                    .arguments = {at.arguments[0], at.arguments[1]},
                                    .address = at.address,
                                    .stack = at.stack,
                                    .frame = at.frame};
    tracer->host.entered(tracer->host.context, &entry);
  }
  return function == image->sites.main_argument && image->sites.main_image != image->sites.image;
}

/// Removes a breakpoint for the thread's next instruction.
static void step_over(struct fl_task *task, struct fl_return_site *site) {
  site->stepper =
      site->stepper == 0 || site->stepper == task->thread ? task->thread : SEVERAL_THREADS;
  task->stepped = site->address;
  fl_space_restore_return(task->space, site, task->thread);
}

static void give_up(struct fl_tracer *tracer, struct fl_task *task, struct fl_return_site *site) {
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (struct fl_task *other = tracer->tasks[i]; other != NULL; other = other->next)
      for (uint32_t j = 0; other->space == task->space && j < other->calls.count; j++) {
        struct fl_frame *frame = &other->calls.frames[j];
        if (!frame->is_waited_for || frame->address != site->address) continue;
        frame->is_waited_for = false;
        give_up_frame(other, frame);
      }
  site->waiting = 0;
  site->stepper = 0;
  fl_space_restore_return(task->space, site, task->thread);
}

/// Notes the return of a stack's innermost frame.
static void note_return(struct fl_tracer *tracer, struct fl_task *task, struct fl_frame *frame) {
  struct fl_space *space = task->space;
  struct fl_tracer_return *call = return_of(task, frame);
  struct fl_tracer_call entered = space->record->calls[frame->call];
  stop_waiting(task, frame);
  remove_frame(&task->calls, frame);
  call->ending = FL_TRACER_RETURNED;
  call->time = tracer->seen;
  call->after = fl_space_faults(space, task->process);
  if (records_every_call(tracer)) fl_return_value(task->thread, &call->result);
  if (tracer->host.returned == NULL) return;
  if (!tracer->host.returned(tracer->host.context, task->process, entered.image, entered.function,
                             tracer->seen))
    return;
  for (uint32_t i = 0; i < space->image_count && !space->is_restored; i++)
    if (space->images[i].sites.count > 0 && space->images[i].sites.image == entered.image)
      fl_mapped_image_replant_site(&space->images[i], entered.function, space->memory,
                                   task->thread);
}

void fl_return_site_hit(struct fl_tracer *tracer, struct fl_task *task,
                        struct fl_return_site *site) {
  struct fl_space *space = task->space;
  uint64_t address = site->address;
  struct fl_call_registers at;
  bool is_awaited = false;
  if (site->waiting > 0 && fl_return_place(task->thread, &at.place)) {
    uint64_t stack = stack_of(task, at.place);
    bool is_unwound = drop_unwound(task, stack, at.place, 0);
    uint64_t popped = 0;
    bool is_known = fl_return_address_at(space->memory, at.place, &popped);
    struct fl_frame *top;
    task->calls.current = stack;
    while ((top = top_of(&task->calls, stack)) != NULL) {
      if (top->place != at.place || top->address != address) break;
      bool is_overwritten = is_known && popped != address;
      if (is_unwound || is_overwritten) {
        // An exception or a longjmp left the frame and continued at its return address. This is
        // certain if a call since then has overwritten the address; otherwise it looks like a
        // return.
        stop_waiting(task, top);
        note_unwound(task, top, is_overwritten);
      } else {
        note_return(tracer, task, top);
      }
      is_awaited = true;
    }
  }
  if (space->is_restored || site->waiting == 0) {
    fl_space_restore_return(space, site, task->thread);
    return;
  }
  if (!is_awaited && ++site->passed > MOST_PASSED) give_up(tracer, task, site);
  else step_over(task, site);
}

void fl_call_pass(struct fl_task *task, struct fl_mapped_image *image, uint32_t function,
                  uint64_t address) {
  struct fl_space *space = task->space;
  const uint8_t *saved = image->saved + (size_t)function * fl_breakpoint_size;
  if (fl_execute_saved(task->thread, space->memory, saved)) return;
  fl_mapped_image_restore_site(image, function, space->memory, task->thread);
  task->stepped = address;
}

void fl_step_ended(struct fl_task *task) {
  struct fl_space *space = task->space;
  struct fl_return_site *site = fl_return_site_find(&space->returns, task->stepped);
  uint32_t function;
  struct fl_mapped_image *image =
      site == NULL ? fl_space_find(space, task->stepped, &function) : NULL;
  task->stepped = 0;
  if (image != NULL && !space->is_restored)
    fl_mapped_image_replant_site(image, function, space->memory, task->thread);
  if (site != NULL && site->waiting > 0 && !space->is_restored)
    fl_space_plant_return(space, site, task->thread);
}

void fl_calls_end(struct fl_task *task, bool memory_is_left) {
  if (task->stepped != 0 && memory_is_left) fl_step_ended(task);
  for (uint32_t i = task->calls.count; memory_is_left && i-- > 0;)
    stop_waiting(task, &task->calls.frames[i]);
  free(task->calls.frames);
  task->calls = (struct fl_shadow_stack){0};
  task->stepped = 0;
}
