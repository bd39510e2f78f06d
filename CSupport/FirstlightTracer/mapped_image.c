#define _GNU_SOURCE
#include "mapped_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { PAGE = 4096, CHUNK = 1 << 18 };

bool fl_mapped_image_make(struct fl_mapped_image *image, const struct fl_tracer_sites *sites,
                          uint64_t bias) {
  *image = (struct fl_mapped_image){.sites = *sites, .bias = bias, .is_mapped = true};
  if (sites->count == 0) return true;
  image->states = malloc(sites->count);
  image->saved = calloc(sites->count, fl_breakpoint_size);
  if (image->states == NULL || image->saved == NULL) {
    fl_mapped_image_free(image);
    return false;
  }
  memset(image->states, FL_SITE_PLANTED, sites->count);
  return true;
}

void fl_mapped_image_free(struct fl_mapped_image *image) {
  free(image->states);
  free(image->saved);
}

void fl_mapped_image_inherit(struct fl_mapped_image *image, const struct fl_mapped_image *from) {
  uint32_t count = from->sites.count;
  image->planted = from->planted;
  for (uint32_t i = 0; i < count; i++)
    image->states[i] = from->states[i] == FL_SITE_TAKEN ? FL_SITE_INHERITED : from->states[i];
  if (count > 0) memcpy(image->saved, from->saved, (size_t)count * fl_breakpoint_size);
}

/// The end of the functions from `first` on that one read and one write cover. Each page
/// between them contains such a function, because each written page becomes a private copy.
static uint32_t chunk_end(const struct fl_tracer_sites *sites, uint32_t first, uint32_t last) {
  uint32_t end = first + 1;
  while (end < last && sites->addresses[end] / PAGE - sites->addresses[end - 1] / PAGE <= 1 &&
         sites->addresses[end] - sites->addresses[first] + fl_breakpoint_size <= CHUNK)
    end++;
  return end;
}

/// Writes breakpoints to a piece of text, or removes them. Returns whether the text changed.
static bool edit(struct fl_mapped_image *image, uint32_t first, uint32_t end, uint8_t *text,
                 bool plant) {
  bool changed = false;
  uint64_t base = image->sites.addresses[first];
  for (uint32_t i = first; i < end; i++) {
    uint8_t *at = text + (image->sites.addresses[i] - base);
    uint8_t *saved = image->saved + (size_t)i * fl_breakpoint_size;
    bool is_there = memcmp(at, fl_breakpoint, fl_breakpoint_size) == 0;
    if (!plant) {
      if (image->states[i] == FL_SITE_NONE || !is_there) continue;
      memcpy(at, saved, fl_breakpoint_size);
    } else if (image->states[i] != FL_SITE_PLANTED) {
      continue;
    } else if (is_there) {
      image->states[i] = FL_SITE_NONE;  // the program's own
      continue;
    } else {
      memcpy(saved, at, fl_breakpoint_size);
      memcpy(at, fl_breakpoint, fl_breakpoint_size);
    }
    changed = true;
  }
  return changed;
}

/// Removes breakpoints one by one, for memory that cannot be opened or has gaps.
static bool restore_each(const struct fl_mapped_image *image, int memory, pid_t thread) {
  bool is_done = true;
  for (uint32_t i = 0; i < image->planted; i++) {
    uint64_t address = image->sites.addresses[i] + image->bias;
    const uint8_t *saved = image->saved + (size_t)i * fl_breakpoint_size;
    uint8_t there[FL_BREAKPOINT_MAX];
    if (image->states[i] == FL_SITE_NONE) continue;
    if (memory < 0) is_done &= fl_memory_unbreak(thread, address, saved);
    else if (fl_memory_read(memory, address, there, fl_breakpoint_size) &&
             memcmp(there, fl_breakpoint, fl_breakpoint_size) == 0)
      is_done &= fl_memory_write(memory, thread, address, saved, fl_breakpoint_size);
  }
  return is_done;
}

/// Edits the functions from `first` up to the one before `last`.
static int edit_all(struct fl_mapped_image *image, uint32_t first, uint32_t last, int memory,
                    pid_t thread, bool plant) {
  uint8_t *text = malloc(CHUNK);
  if (text == NULL) return ENOMEM;
  const struct fl_tracer_sites *sites = &image->sites;
  int error = 0;
  for (uint32_t end; first < last; first = end) {
    end = chunk_end(sites, first, last);
    uint64_t address = sites->addresses[first] + image->bias;
    size_t size =
        (size_t)(sites->addresses[end - 1] - sites->addresses[first] + fl_breakpoint_size);
    if (fl_memory_read(memory, address, text, size) &&
        (!edit(image, first, end, text, plant) ||
         fl_memory_write(memory, thread, address, text, size)))
      continue;
    error = errno;
    if (plant) memset(image->states + first, FL_SITE_NONE, end - first);
  }
  free(text);
  return error;
}

int fl_mapped_image_plant(struct fl_mapped_image *image, uint32_t end, int memory, pid_t thread) {
  uint32_t first = image->planted;
  uint32_t last = end < image->sites.count ? end : image->sites.count;
  if (last <= first) return 0;
  // Set before the first write: a thread may hit a breakpoint at once.
  image->planted = last;
  return edit_all(image, first, last, memory, thread, true);
}

void fl_mapped_image_check(struct fl_mapped_image *image, int memory,
                           void (*found)(void *context, uint32_t image, uint32_t function),
                           void *context) {
  const struct fl_tracer_sites *sites = &image->sites;
  uint8_t *text = malloc(CHUNK);
  uint32_t whole = 0;  // functions before this one are read one by one, because of a gap
  for (uint32_t first = 0, end; text != NULL && first < image->planted; first = end) {
    end = first < whole ? first + 1 : chunk_end(sites, first, image->planted);
    size_t size =
        (size_t)(sites->addresses[end - 1] - sites->addresses[first] + fl_breakpoint_size);
    if (!fl_memory_read(memory, sites->addresses[first] + image->bias, text, size)) {
      if (first >= whole) {
        whole = end;
        end = first;
      }
      continue;
    }
    for (uint32_t i = first; i < end; i++) {
      const uint8_t *at = text + (sites->addresses[i] - sites->addresses[first]);
      if (image->states[i] != FL_SITE_PLANTED || memcmp(at, fl_breakpoint, fl_breakpoint_size) == 0)
        continue;
      image->states[i] = FL_SITE_NONE;
      found(context, sites->image, i);
    }
  }
  free(text);
}

bool fl_mapped_image_restore(struct fl_mapped_image *image, int memory, pid_t thread) {
  return (memory >= 0 && edit_all(image, 0, image->planted, memory, thread, false) == 0) ||
         restore_each(image, memory, thread);
}

bool fl_mapped_image_restore_site(const struct fl_mapped_image *image, uint32_t function,
                                  int memory, pid_t thread) {
  return fl_memory_write(memory, thread, image->sites.addresses[function] + image->bias,
                         image->saved + (size_t)function * fl_breakpoint_size, fl_breakpoint_size);
}

void fl_mapped_image_replant_site(struct fl_mapped_image *image, uint32_t function, int memory,
                                  pid_t thread) {
  uint8_t state = image->states[function];
  if (!image->is_mapped || (state != FL_SITE_TAKEN && state != FL_SITE_PLANTED)) return;
  image->states[function] = FL_SITE_PLANTED;
  if (!fl_memory_write(memory, thread, image->sites.addresses[function] + image->bias,
                       fl_breakpoint, fl_breakpoint_size))
    image->states[function] = FL_SITE_TAKEN;
}

bool fl_mapped_image_find(const struct fl_mapped_image *image, uint64_t address,
                          uint32_t *function) {
  if (!image->is_mapped || image->sites.count == 0) return false;
  uint64_t wanted = address - image->bias;
  uint32_t low = 0;
  uint32_t high = image->planted;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (image->sites.addresses[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  *function = low;
  return low < image->planted && image->sites.addresses[low] == wanted;
}
