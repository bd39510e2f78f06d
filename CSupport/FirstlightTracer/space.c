#define _GNU_SOURCE
#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

struct fl_space *fl_space_make(void) {
  struct fl_space *space = calloc(1, sizeof *space);
  if (space != NULL) space->memory = space->statistics = -1;
  return space;
}

bool fl_space_is_watched(const struct fl_space *space) {
  return space->image_count > 0 || space->loader != 0;
}

void fl_space_close(struct fl_space *space) {
  if (space->memory >= 0) close(space->memory);
  if (space->statistics >= 0) close(space->statistics);
  space->memory = space->statistics = -1;
}

void fl_space_forget(struct fl_space *space) {
  for (uint32_t i = 0; i < space->image_count; i++) fl_mapped_image_free(&space->images[i]);
  free(space->images);
  space->images = NULL;
  space->image_count = 0;
  space->loader = 0;
  fl_return_sites_free(&space->returns);
  fl_space_close(space);
}

void fl_space_leave(struct fl_space *space) {
  if (space == NULL || --space->tasks > 0) return;
  fl_space_forget(space);
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
  if (!fl_mapped_image_make(image, sites, bias)) return NULL;
  space->image_count++;
  return image;
}

/// Copies the images and the return breakpoints. False if memory is exhausted.
static bool copy_sites(struct fl_space *space, const struct fl_space *parent) {
  for (uint32_t i = 0; i < parent->image_count; i++) {
    const struct fl_mapped_image *from = &parent->images[i];
    struct fl_mapped_image *image = fl_space_add(space, &from->sites, from->bias);
    if (image == NULL) return false;
    image->start = from->start;
    image->inode = from->inode;
    image->is_shared = from->is_shared;
    image->is_program = from->is_program;
    image->is_mapped = from->is_mapped;
    fl_mapped_image_inherit(image, from);
  }
  return fl_return_sites_copy(&space->returns, &parent->returns);
}

struct fl_space *fl_space_copy(const struct fl_space *parent) {
  struct fl_space *space = fl_space_make();
  if (space == NULL) return NULL;
  space->lineage = parent->lineage;
  space->is_given_up = parent->is_given_up;
  space->ignores_trap = parent->ignores_trap;
  space->loader = parent->loader;
  memcpy(space->loader_saved, parent->loader_saved, sizeof space->loader_saved);
  if (!fl_space_is_watched(parent)) return space;
  if (!copy_sites(space, parent)) {
    space->tasks = 1;
    fl_space_leave(space);
    return NULL;
  }
  space->code = malloc((parent->code_count + 1) * sizeof *space->code);
  if (space->code != NULL) {
    if (parent->code_count > 0)
      memcpy(space->code, parent->code, parent->code_count * sizeof *space->code);
    space->code_count = parent->code_count;
  }
  return space;
}

bool fl_space_open(struct fl_space *space, pid_t child) {
  space->memory = fl_memory_open(child);
  if (space->memory < 0) return false;
  if (fl_descriptor_is_scarce(space->memory)) {
    close(space->memory);
    space->memory = -1;
    errno = EMFILE;
    return false;
  }
  // The child does not make any of the awaited returns.
  for (uint32_t i = 0; i < space->returns.capacity; i++) {
    struct fl_return_site *site = &space->returns.items[i];
    if (site->address == 0) continue;
    site->waiting = 0;
    fl_space_restore_return(space, site, child);
  }
  return true;
}

int fl_space_plant_loader(struct fl_space *space, uint64_t address, pid_t thread) {
  if (!fl_memory_read(space->memory, address, space->loader_saved, fl_breakpoint_size) ||
      !fl_memory_write(space->memory, thread, address, fl_breakpoint, fl_breakpoint_size))
    return errno;
  space->loader = address;
  return 0;
}

/// Removes a breakpoint if it is still there. Other code may be mapped there now.
static bool remove_breakpoint(const struct fl_space *space, uint64_t address, const uint8_t *saved,
                              pid_t thread) {
  if (space->memory < 0) return fl_memory_unbreak(thread, address, saved);
  return !fl_space_has_breakpoint(space, address) ||
         fl_memory_write(space->memory, thread, address, saved, fl_breakpoint_size);
}

bool fl_space_restore(struct fl_space *space, pid_t thread) {
  space->is_restored = true;
  if (space->is_clear) return true;
  bool is_done = true;
  for (uint32_t i = 0; i < space->image_count; i++)
    if (space->images[i].is_mapped && space->images[i].sites.count > 0)
      is_done &= fl_mapped_image_restore(&space->images[i], space->memory, thread);
  for (uint32_t i = 0; i < space->returns.capacity; i++) {
    struct fl_return_site *site = &space->returns.items[i];
    if (site->address == 0) continue;
    is_done &= remove_breakpoint(space, site->address, site->saved, thread);
    site->is_planted = false;
  }
  if (space->loader != 0)
    is_done &= remove_breakpoint(space, space->loader, space->loader_saved, thread);
  space->is_clear = is_done;
  return is_done;
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
  remove_breakpoint(space, site->address, site->saved, thread);
  site->is_planted = false;
}

struct fl_record *fl_space_record(struct fl_space *space, struct fl_records *records) {
  if (space->record != NULL) return space->record;
  space->record = fl_record_begin(records, &space->origin);
  if (space->record == NULL) return NULL;
  for (uint32_t i = 0; i < space->image_count; i++)
    if (space->images[i].sites.count > 0)
      fl_record_add_image(records, space->record, space->images[i].sites.image,
                          space->images[i].bias);
  return space->record;
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
  // The name in parentheses is followed by the state, six numbers and the faults (proc(5)).
  const char *at = strrchr(text, ')');
  if (at != NULL)
    sscanf(at, ") %*c %*s %*s %*s %*s %*s %*s %u %*s %u", &faults.minor, &faults.major);
  return faults;
}

struct fl_mapped_image *fl_space_find(struct fl_space *space, uint64_t address,
                                      uint32_t *function) {
  for (uint32_t i = 0; i < space->image_count; i++)
    if (fl_mapped_image_find(&space->images[i], address, function)) return &space->images[i];
  return NULL;
}

bool fl_space_has_breakpoint(const struct fl_space *space, uint64_t address) {
  uint8_t bytes[FL_BREAKPOINT_MAX];
  return fl_memory_read(space->memory, address, bytes, fl_breakpoint_size) &&
         memcmp(bytes, fl_breakpoint, fl_breakpoint_size) == 0;
}
