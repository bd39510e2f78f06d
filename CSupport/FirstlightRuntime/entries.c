#define _GNU_SOURCE
#include "entries.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "image.h"
#include "image_state.h"
#include "recording.h"
#include "shown_addresses.h"

struct fl_entries fl_entries;

// Functions that were called before the image's first constructors: by resolvers of indirect
// functions, from .preinit_array, or by libraries that were initialized earlier. Nothing is
// relocated then.
enum { EARLY_CALLS = 256 };
static uintptr_t early_calls[EARLY_CALLS];

FL_LOCAL void note_early(uintptr_t function) {
  uint32_t count = fl_entries.early_count;
  if (count > EARLY_CALLS) return;
  for (uint32_t i = 0; i < count; i++)
    if (early_calls[i] == function) return;
  if (count < EARLY_CALLS) early_calls[count] = function;
  fl_entries.early_count = count + 1;
}

FL_LOCAL void count_drop(void) {
  __atomic_fetch_add(&fl_image_state.segment->drops, 1, __ATOMIC_RELAXED);
}

FL_HIDDEN void fl_entries_settle(void) {
  if (fl_image_state.recording == FL_OFF) return;
  // Their own times and callers are unknown.
  uint32_t count = fl_entries.early_count;
  for (uint32_t i = 0; i < count && i < EARLY_CALLS; i++)
    fl_entries_look(early_calls[i], (void *)early_calls[i]);
  if (count > EARLY_CALLS) count_drop();
}

/// Whether the table has the encodings that all linkers use: it is sorted, and has distances from
/// the section's start.
FL_LOCAL bool has_table(const uint8_t *frames) {
  return frames != NULL && frames[0] == 1 && frames[1] == 0x1b && frames[2] == 0x03 &&
         frames[3] == 0x3b;
}

FL_HIDDEN void fl_entries_attach(void) {
  if (fl_image_state.guard_count != 0) return;
  int saved = errno;
  struct fl_image_code code;
  if (fl_image_code(&code, &fl_entries) && has_table(code.frames)) {
    fl_entries.code = code.start;
    fl_entries.frames = code.frames;
    fl_entries.table = (const struct fl_unwind_entry *)(code.frames + 12);
    fl_recording_attach(NULL, *(const uint32_t *)(code.frames + 8));
  }
  errno = saved;
}

FL_HIDDEN bool fl_entries_map(void) {
  if (fl_entries.table == NULL || fl_entries.memory != NULL) return true;
  struct fl_image_code code;
  if (!fl_image_code(&code, &fl_entries)) return true;
  uintptr_t size = code.end - code.start;
  uintptr_t guards = (uintptr_t)fl_image_state.guard_count * sizeof(uint32_t);
  uintptr_t count = fl_shown_find(&code, NULL, 0), shown = count * sizeof(struct fl_shown);
  uintptr_t all = guards + shown + size / FL_ENTRY_STEP + 1;
  char *memory =
      mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  fl_entries.memory = memory;
  fl_entries.memory_size = all;
  // The items with eight-byte fields come first, for their alignment.
  (void)fl_shown_find(&code, (struct fl_shown *)memory, count);
  fl_image_state.guards = (uint32_t *)(memory + shown);
  fl_entries.cleared = (uint8_t *)memory + shown + guards;
  fl_entries.code_size = size;
  return true;
}

FL_HIDDEN void fl_entries_begin(void) {
  // Release pairs with the hook's acquire and that in fl_entries_look(): a thread that sees the
  // size sees the memory and the set guards.
  if (fl_entries.memory != NULL)
    __atomic_store_n(&fl_entries.size, fl_entries.code_size, __ATOMIC_RELEASE);
}

FL_HIDDEN void fl_entries_unmap(void) {
  if (fl_entries.memory == NULL) return;
  __atomic_store_n(&fl_entries.size, 0, __ATOMIC_RELAXED);
  munmap(fl_entries.memory, fl_entries.memory_size);
}

FL_LOCAL intptr_t frames_offset(uintptr_t place) {
  return (intptr_t)(place - (uintptr_t)fl_entries.frames);
}

/// The number of functions in the table that begin before a place.
FL_LOCAL uint32_t functions_before(uintptr_t place) {
  intptr_t wanted = frames_offset(place);
  uint32_t low = 0, high = fl_image_state.guard_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (fl_entries.table[middle].function < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// The function's guard; null if the table does not have the function.
FL_LOCAL uint32_t *guard_of(uintptr_t function) {
  uint32_t i = functions_before(function);
  bool is_known =
      i < fl_image_state.guard_count && fl_entries.table[i].function == frames_offset(function);
  return is_known ? &fl_image_state.guards[i] : NULL;
}

/// The guard of the function that called the hook, if that was its first call; null otherwise. A
/// function's own call comes before those of its inlined copies. gcc's versions of a function for
/// several processors pass the address of a stub of the linker, which the table does not have.
FL_LOCAL uint32_t *guard_of_caller(uintptr_t caller) {
  uint32_t count = functions_before(caller);
  uint32_t *guard = count > 0 ? &fl_image_state.guards[count - 1] : NULL;
  return guard != NULL && __atomic_load_n(guard, __ATOMIC_RELAXED) != 0 ? guard : NULL;
}

FL_HIDDEN void fl_entries_look(uintptr_t function, void *caller) {
  uintptr_t size = __atomic_load_n(&fl_entries.size, __ATOMIC_ACQUIRE);
  if (size == 0) {
    if (!fl_entries.has_begun) note_early(function);
    return;
  }
  uintptr_t place = function - fl_entries.code;
  uint32_t *guard = place < size ? guard_of(function) : NULL;
  const struct fl_shown *shown = guard == NULL ? fl_shown_at(function) : NULL;
  if (shown != NULL && shown->own != 0) {
    function = shown->own;
    place = function - fl_entries.code;
    guard = place < size ? guard_of(function) : NULL;
  }
  // Addresses outside the image's code share one byte, so that they count as one loss.
  static uint8_t unknown;
  uint8_t *cleared = place < size ? &fl_entries.cleared[place / FL_ENTRY_STEP] : &unknown;
  // A copy of a function of an image without hooks: there is no such function to record.
  if (shown != NULL && shown->own == 0) {
    if (place < size) __atomic_store_n(cleared, 1, __ATOMIC_RELAXED);
    return;
  }
  if (guard == NULL && place < size && function != (uintptr_t)caller)
    guard = guard_of_caller((uintptr_t)caller);
  if (guard == NULL) {
    if (__atomic_exchange_n(cleared, 1, __ATOMIC_RELAXED) == 0) count_drop();
    return;
  }
  if (__atomic_load_n(guard, __ATOMIC_RELAXED) != 0) fl_first_call(guard, caller);
  if (__atomic_load_n(guard, __ATOMIC_RELAXED) == 0) __atomic_store_n(cleared, 1, __ATOMIC_RELAXED);
}
