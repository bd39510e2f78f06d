#define _GNU_SOURCE
#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

enum { PAGE = 4096, CHUNK = 1 << 18 };

struct fl_space *fl_space_make(void) {
  struct fl_space *space = calloc(1, sizeof *space);
  if (space != NULL) space->memory = space->statistics = -1;
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
  if (space->statistics >= 0) close(space->statistics);
  fl_return_sites_free(&space->returns);
  free(space->code);
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
      image->states[j] = from->states[j] == FL_SITE_TAKEN ? FL_SITE_INHERITED : from->states[j];
    if (from->sites.count > 0)
      memcpy(image->saved, from->saved, (size_t)from->sites.count * fl_breakpoint_size);
  }
  // Nobody returns there in the child that we wait for.
  fl_return_sites_copy(&space->returns, &parent->returns);
  for (uint32_t i = 0; i < space->returns.capacity; i++) {
    struct fl_return_site *site = &space->returns.items[i];
    if (site->address == 0) continue;
    site->waiting = 0;
    fl_space_restore_return(space, site, child);
  }
  space->code = malloc((parent->code_count + 1) * sizeof *space->code);
  if (space->code != NULL) {
    if (parent->code_count > 0)
      memcpy(space->code, parent->code, parent->code_count * sizeof *space->code);
    space->code_count = parent->code_count;
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
  for (uint32_t i = 0; i < space->returns.capacity; i++)
    if (space->returns.items[i].address != 0)
      fl_space_restore_return(space, &space->returns.items[i], thread);
  if (space->loader != 0)
    fl_memory_write(space->memory, thread, space->loader, space->loader_saved, fl_breakpoint_size);
}

bool fl_space_restore_site(struct fl_space *space, const struct fl_mapped_image *image,
                           uint32_t function, pid_t thread) {
  return fl_memory_write(space->memory, thread, image->sites.addresses[function] + image->bias,
                         image->saved + (size_t)function * fl_breakpoint_size, fl_breakpoint_size);
}

void fl_space_replant_site(struct fl_space *space, struct fl_mapped_image *image, uint32_t function,
                           pid_t thread) {
  if (!image->is_mapped || image->states[function] != FL_SITE_TAKEN) return;
  image->states[function] = FL_SITE_PLANTED;
  if (!fl_memory_write(space->memory, thread, image->sites.addresses[function] + image->bias,
                       fl_breakpoint, fl_breakpoint_size))
    image->states[function] = FL_SITE_TAKEN;
}

bool fl_space_plant_return(struct fl_space *space, struct fl_return_site *site, pid_t thread) {
  if (site->is_planted) return true;
  if (!fl_memory_read(space->memory, site->address, site->saved, fl_breakpoint_size) ||
      memcmp(site->saved, fl_breakpoint, fl_breakpoint_size) == 0)
    return false;
  site->is_planted =
      fl_memory_write(space->memory, thread, site->address, fl_breakpoint, fl_breakpoint_size);
  return site->is_planted;
}

void fl_space_restore_return(struct fl_space *space, struct fl_return_site *site, pid_t thread) {
  // Looked at first: the place may have been unmapped and hold something else.
  if (fl_space_has_breakpoint(space, site->address))
    fl_memory_write(space->memory, thread, site->address, site->saved, fl_breakpoint_size);
  site->is_planted = false;
}

bool fl_space_is_code(const struct fl_space *space, uint64_t address) {
  for (uint32_t i = 0; i < space->code_count; i++)
    if (address >= space->code[i].start && address < space->code[i].end) return true;
  return false;
}

struct fl_tracer_faults fl_space_faults(struct fl_space *space, pid_t process) {
  struct fl_tracer_faults faults = {0};
  char text[1024];
  if (space->statistics < 0) {
    snprintf(text, sizeof text, "/proc/%d/stat", process);
    space->statistics = open(text, O_RDONLY | O_CLOEXEC);
  }
  ssize_t size = pread(space->statistics, text, sizeof text - 1, 0);
  if (size <= 0) return faults;
  text[size] = '\0';
  // Behind the name in brackets: state and six numbers, then the faults (proc(5)).
  const char *at = strrchr(text, ')');
  if (at != NULL)
    sscanf(at, ") %*c %*s %*s %*s %*s %*s %*s %u %*s %u", &faults.minor, &faults.major);
  return faults;
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
