// Calls of watched functions: where they begin, and, if the host waits for that, where they end.
//
// A return breakpoint lies where several calls may return to: other threads pass it, and inner
// calls of a recursion, so a hit is only ours if the stack says so. One that is not is stepped
// over, with the breakpoint taken out for that one instruction; what passes meanwhile is not seen,
// and said to be so. Where too many pass that nobody waits for, the breakpoint is given up.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>

#include "memory.h"
#include "process_file.h"
#include "tracer.h"

enum { MOST_PASSED = 64, SEVERAL_THREADS = -1 };

static bool waits_for_returns(const struct fl_tracer *tracer) {
  return (tracer->host.flags & FL_TRACER_RETURNS) != 0;
}

static struct fl_tracer_return *return_of(struct fl_task *task, const struct fl_frame *frame) {
  return &task->space->record->returns[frame->call];
}

/// Nobody is waited for any more at a frame's return address on its behalf.
static void wait_no_more(struct fl_task *task, struct fl_frame *frame) {
  struct fl_return_site *site =
      frame->is_waited_for ? fl_return_site_find(&task->space->returns, frame->address) : NULL;
  frame->is_waited_for = false;
  if (site == NULL || site->waiting == 0) return;
  if (site->stepper != 0 && site->stepper != task->thread) frame->is_given_up = true;
  if (--site->waiting > 0) return;
  site->passed = 0;
  site->stepper = 0;
  fl_space_restore_return(task->space, site, task->thread);
}

/// Finds out which stack an address lies on, by the end of its mapping.
static uint64_t stack_of(struct fl_task *task, uint64_t place) {
  struct fl_shadow_stack *calls = &task->calls;
  if (place >= calls->low && place < calls->high) return calls->high;
  if (!fl_mapping_around(task->thread, place, &calls->low, &calls->high))
    calls->low = calls->high = 0;
  return calls->high;
}

/// Drops the frames that a thread has left without a return, as it uses the stack from `place` on
/// for something else. `address`: the return address that lies there now; 0: none. Returns whether
/// one was left for certain.
static bool drop_left(struct fl_task *task, uint64_t stack, uint64_t place, uint64_t address) {
  struct fl_shadow_stack *calls = &task->calls;
  bool left = false;
  while (calls->count > 0) {
    struct fl_frame *top = &calls->frames[calls->count - 1];
    if (top->stack != stack || top->place > place) break;
    if (top->place == place && (address == 0 || top->address == address)) break;
    wait_no_more(task, top);
    return_of(task, top)->ending = top->is_given_up ? FL_TRACER_UNSEEN : FL_TRACER_UNWOUND;
    left |= !top->is_given_up;
    calls->count--;
  }
  return left;
}

/// Drops frames further up whose return address has been overwritten since.
static void drop_overwritten(struct fl_task *task) {
  struct fl_shadow_stack *calls = &task->calls;
  while (calls->count > 0) {
    struct fl_frame *top = &calls->frames[calls->count - 1];
    uint64_t address;
    if (!fl_memory_read(task->space->memory, top->place, &address, sizeof address) ||
        address == top->address)
      break;
    wait_no_more(task, top);
    return_of(task, top)->ending = top->is_given_up ? FL_TRACER_UNSEEN : FL_TRACER_UNWOUND;
    calls->count--;
  }
}

/// Has the thread stop where a call returns to. False if that cannot be.
static bool await(struct fl_task *task, uint64_t address) {
  struct fl_space *space = task->space;
  uint32_t function;
  // Behind the last instruction of a function that calls one which never returns, the next function
  // begins.
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
  drop_left(task, stack, at->place, at->address);
  drop_overwritten(task);
  const struct fl_frame *top = calls->count > 0 ? &calls->frames[calls->count - 1] : NULL;
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
  bool is_waited_for = await(task, at->address);
  calls->frames[calls->count++] = (struct fl_frame){.place = at->place,
                                                    .address = at->address,
                                                    .stack = stack,
                                                    .call = index,
                                                    .is_waited_for = is_waited_for,
                                                    .is_given_up = !is_waited_for};
}

struct fl_record *fl_space_record(struct fl_tracer *tracer, struct fl_space *space) {
  if (space->record != NULL) return space->record;
  space->record = fl_record_begin(&tracer->records, &space->origin);
  if (space->record == NULL) return NULL;
  for (uint32_t i = 0; i < space->image_count; i++)
    if (space->images[i].sites.count > 0)
      fl_record_add_image(space->record, space->images[i].sites.image, space->images[i].bias);
  return space->record;
}

void fl_call_entered(struct fl_tracer *tracer, struct fl_task *task,
                     const struct fl_mapped_image *image, uint32_t function) {
  fl_relocation_ended(task);
  struct fl_record *record = fl_space_record(tracer, task->space);
  if (record == NULL) return;
  struct fl_tracer_call call = {.image = image->sites.image,
                                .function = function,
                                .thread = (uint32_t)task->thread,
                                .time = tracer->seen};
  int32_t index = fl_record_add_call(record, &call, waits_for_returns(tracer));
  if (index < 0 || !waits_for_returns(tracer)) return;
  struct fl_tracer_return *returned = &record->returns[index];
  *returned = (struct fl_tracer_return){.parent = -1, .ending = FL_TRACER_UNSEEN};
  struct fl_call_registers at;
  if (fl_call_registers(task->thread, task->space->memory, &at)) {
    returned->ending = FL_TRACER_RUNNING;
    returned->argument = at.argument;
    push(task, (uint32_t)index, &at);
  }
  record->returns[index].before = fl_space_faults(task->space, task->process);
  if (function == image->sites.main_argument && image->sites.main_image != image->sites.image)
    fl_main_found(tracer, task, image->sites.main_image, at.argument);
}

/// Takes a breakpoint out for the one instruction that the thread does next.
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
        frame->is_given_up = true;
      }
  site->waiting = 0;
  site->stepper = 0;
  fl_space_restore_return(task->space, site, task->thread);
}

/// Notes that the innermost frame was left on a way that came by its return address: after an
/// exception or a longjmp, code may go on just there. A call since then has overwritten the address
/// on the stack; where none has, a return cannot be told from it.
static void note_passing(struct fl_task *task, bool is_certain) {
  struct fl_frame *frame = &task->calls.frames[--task->calls.count];
  wait_no_more(task, frame);
  return_of(task, frame)->ending = is_certain ? FL_TRACER_UNWOUND : FL_TRACER_UNSEEN;
}

/// Notes the return of the innermost frame.
static void note_return(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_frame *frame = &task->calls.frames[--task->calls.count];
  struct fl_space *space = task->space;
  struct fl_tracer_return *call = return_of(task, frame);
  wait_no_more(task, frame);
  call->ending = FL_TRACER_RETURNED;
  call->time = tracer->seen;
  call->after = fl_space_faults(space, task->process);
  if (tracer->host.returned == NULL) return;
  struct fl_tracer_call entered = space->record->calls[frame->call];
  if (!tracer->host.returned(tracer->host.context, task->process, entered.image, entered.function,
                             tracer->seen))
    return;
  for (uint32_t i = 0; i < space->image_count && !space->is_restored; i++)
    if (space->images[i].sites.count > 0 && space->images[i].sites.image == entered.image)
      fl_space_replant_site(space, &space->images[i], entered.function, task->thread);
}

void fl_return_site_hit(struct fl_tracer *tracer, struct fl_task *task,
                        struct fl_return_site *site) {
  struct fl_space *space = task->space;
  uint64_t address = site->address;
  struct fl_call_registers at;
  bool is_awaited = false;
  if (site->waiting > 0 && fl_return_place(task->thread, &at.place)) {
    bool left = drop_left(task, stack_of(task, at.place), at.place, 0);
    uint64_t popped = 0;
    bool is_known = fl_memory_read(space->memory, at.place, &popped, sizeof popped);
    while (task->calls.count > 0) {
      const struct fl_frame *top = &task->calls.frames[task->calls.count - 1];
      if (top->place != at.place || top->address != address) break;
      bool is_overwritten = is_known && popped != address;
      if (left || is_overwritten) note_passing(task, is_overwritten);
      else note_return(tracer, task);
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

void fl_step_ended(struct fl_task *task) {
  struct fl_space *space = task->space;
  struct fl_return_site *site = fl_return_site_find(&space->returns, task->stepped);
  task->stepped = 0;
  if (site != NULL && site->waiting > 0 && !space->is_restored)
    fl_space_plant_return(space, site, task->thread);
}

void fl_calls_end(struct fl_task *task, bool memory_is_left) {
  if (task->stepped != 0 && memory_is_left) fl_step_ended(task);
  for (uint32_t i = task->calls.count; memory_is_left && i-- > 0;)
    wait_no_more(task, &task->calls.frames[i]);
  free(task->calls.frames);
  task->calls = (struct fl_shadow_stack){0};
  task->stepped = 0;
}
