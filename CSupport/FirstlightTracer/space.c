#define _GNU_SOURCE
#include "space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

enum { PAGE = 4096, CHUNK = 1 << 18 };

struct fl_space *fl_space_make(void) {
  struct fl_space *space = calloc(1, sizeof *space);
  if (space != NULL) space->memory = -1;
  return space;
}

void fl_space_leave(struct fl_space *space) {
  if (space == NULL || --space->tasks > 0) return;
  for (uint32_t i = 0; i < space->image_count; i++) {
    free(space->images[i].states);
    free(space->images[i].saved);
  }
  free(space->images);
  if (space->memory >= 0) close(space->memory);
  free(space);
}

struct fl_mapped_image *fl_space_add(struct fl_space *space, const struct fl_tracer_sites *sites,
                                     uint64_t bias) {
  struct fl_mapped_image *images =
      realloc(space->images, (space->image_count + 1) * sizeof *images);
  if (images == NULL) return NULL;
  space->images = images;
  struct fl_mapped_image *image = &images[space->image_count];
  *image = (struct fl_mapped_image){.sites = *sites, .bias = bias, .is_mapped = true};
  if (sites->count > 0) {
    image->states = malloc(sites->count);
    image->saved = calloc(sites->count, fl_breakpoint_size);
    if (image->states == NULL || image->saved == NULL) {
      free(image->states);
      free(image->saved);
      return NULL;
    }
    memset(image->states, FL_SITE_PLANTED, sites->count);
  }
  space->image_count++;
  return image;
}

struct fl_space *fl_space_copy(const struct fl_space *parent, pid_t child) {
  struct fl_space *space = fl_space_make();
  if (space == NULL) return NULL;
  space->ignores_trap = parent->ignores_trap;
  space->loader = parent->loader;
  memcpy(space->loader_saved, parent->loader_saved, sizeof space->loader_saved);
  if (parent->memory < 0) return space;
  space->memory = fl_memory_open(child);
  for (uint32_t i = 0; i < parent->image_count; i++) {
    const struct fl_mapped_image *from = &parent->images[i];
    struct fl_mapped_image *image = fl_space_add(space, &from->sites, from->bias);
    if (image == NULL) break;
    image->start = from->start;
    image->inode = from->inode;
    image->is_program = from->is_program;
    image->is_mapped = from->is_mapped;
    for (uint32_t j = 0; j < from->sites.count; j++)
      image->states[j] =
          from->states[j] == FL_SITE_TAKEN ? FL_SITE_INHERITED : from->states[j];
    if (from->sites.count > 0)
      memcpy(image->saved, from->saved, (size_t)from->sites.count * fl_breakpoint_size);
  }
  return space;
}

/// The functions from `first` that one read and one write can do: near enough that no page between
/// them is touched which holds none, since each page written becomes the process's own copy.
static uint32_t chunk_end(const struct fl_tracer_sites *sites, uint32_t first) {
  uint32_t end = first + 1;
  while (end < sites->count &&
         sites->addresses[end] / PAGE - sites->addresses[end - 1] / PAGE <= 1 &&
         sites->addresses[end] - sites->addresses[first] + fl_breakpoint_size <= CHUNK)
    end++;
  return end;
}

/// Puts breakpoints into, or takes them out of, a piece of text. Returns whether it changed.
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

static int edit_all(struct fl_space *space, struct fl_mapped_image *image, pid_t thread,
                    bool plant) {
  uint8_t *text = malloc(CHUNK);
  if (text == NULL) return ENOMEM;
  const struct fl_tracer_sites *sites = &image->sites;
  int error = 0;
  for (uint32_t first = 0, end; first < sites->count; first = end) {
    end = chunk_end(sites, first);
    uint64_t address = sites->addresses[first] + image->bias;
    size_t size =
        (size_t)(sites->addresses[end - 1] - sites->addresses[first] + fl_breakpoint_size);
    if (fl_memory_read(space->memory, address, text, size) &&
        (!edit(image, first, end, text, plant) ||
         fl_memory_write(space->memory, thread, address, text, size)))
      continue;
    error = errno;
    if (plant) memset(image->states + first, FL_SITE_NONE, end - first);
  }
  free(text);
  return error;
}

int fl_space_plant(struct fl_space *space, struct fl_mapped_image *image, pid_t thread) {
  return edit_all(space, image, thread, true);
}

int fl_space_plant_loader(struct fl_space *space, uint64_t address, pid_t thread) {
  if (!fl_memory_read(space->memory, address, space->loader_saved, fl_breakpoint_size) ||
      !fl_memory_write(space->memory, thread, address, fl_breakpoint, fl_breakpoint_size))
    return errno;
  space->loader = address;
  return 0;
}

void fl_space_restore(struct fl_space *space, pid_t thread) {
  if (space->memory < 0 || space->is_restored) return;
  space->is_restored = true;
  for (uint32_t i = 0; i < space->image_count; i++)
    if (space->images[i].is_mapped && space->images[i].sites.count > 0)
      edit_all(space, &space->images[i], thread, false);
  if (space->loader != 0)
    fl_memory_write(space->memory, thread, space->loader, space->loader_saved, fl_breakpoint_size);
}

bool fl_space_restore_site(struct fl_space *space, const struct fl_mapped_image *image,
                           uint32_t function, pid_t thread) {
  return fl_memory_write(space->memory, thread, image->sites.addresses[function] + image->bias,
                         image->saved + (size_t)function * fl_breakpoint_size, fl_breakpoint_size);
}

struct fl_mapped_image *fl_space_find(struct fl_space *space, uint64_t address,
                                      uint32_t *function) {
  for (uint32_t i = 0; i < space->image_count; i++) {
    struct fl_mapped_image *image = &space->images[i];
    if (!image->is_mapped || image->sites.count == 0) continue;
    uint64_t wanted = address - image->bias;
    uint32_t low = 0;
    uint32_t high = image->sites.count;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (image->sites.addresses[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    if (low == image->sites.count || image->sites.addresses[low] != wanted) continue;
    *function = low;
    return image;
  }
  return NULL;
}

bool fl_space_has_breakpoint(const struct fl_space *space, uint64_t address) {
  uint8_t bytes[FL_BREAKPOINT_MAX];
  return fl_memory_read(space->memory, address, bytes, fl_breakpoint_size) &&
         memcmp(bytes, fl_breakpoint, fl_breakpoint_size) == 0;
}
