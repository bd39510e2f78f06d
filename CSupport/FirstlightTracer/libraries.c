#define _GNU_SOURCE
#include "libraries.h"

#include <stdlib.h>

#include "mappings.h"
#include "plant.h"
#include "process_file.h"
#include "program.h"

static struct fl_mapped_image *find_image(struct fl_space *space,
                                          const struct fl_mapping *mapping) {
  for (uint32_t i = 0; i < space->image_count; i++)
    if (!space->images[i].is_program && space->images[i].start == mapping->start &&
        space->images[i].inode == mapping->inode &&
        space->images[i].is_shared == mapping->is_shared)
      return &space->images[i];
  return NULL;
}

static void plant_library(struct fl_tracer *tracer, struct fl_task *task,
                          const struct fl_mapping *mapping) {
  struct fl_space *space = task->space;
  struct fl_tracer_file file = {.path = mapping->path, .link = mapping->path};
  struct fl_tracer_sites sites = {0};
  uint64_t bias = 0;
  if (!tracer->host.choose(tracer->host.context, &file, &sites)) {
    sites.count = 0;
  } else if (mapping->is_shared || fl_code_is_shared(task->thread, mapping->inode, mapping->start,
                                                     fl_image_end(space->memory, mapping->start))) {
    fl_report_problem(tracer, FL_TRACER_FILE_SHARED, mapping->path, 0);
    sites.count = 0;
  } else if (fl_inode(mapping->path) != mapping->inode) {
    fl_report_problem(tracer, FL_TRACER_FILE_CHANGED, mapping->path, 0);
    sites.count = 0;
  } else if (!fl_image_bias(space->memory, mapping->start, &bias)) {
    sites.count = 0;
  }
  struct fl_mapped_image *image = fl_space_add(space, &sites, bias);
  if (image == NULL) return;
  image->start = mapping->start;
  image->inode = mapping->inode;
  image->is_shared = mapping->is_shared;
  if (sites.count > 0) fl_plant(tracer, task, image, mapping->path);
}

static bool is_code(const void *space, uint64_t address) {
  return fl_space_is_code(space, address);
}

static void add_code(struct fl_space *space, const struct fl_mapping *mapping) {
  struct fl_code_range *code = realloc(space->code, (space->code_count + 1) * sizeof *code);
  if (code == NULL) return;
  space->code = code;
  code[space->code_count++] = (struct fl_code_range){.start = mapping->start, .end = mapping->end};
}

void fl_libraries_changed(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_space *space = task->space;
  uint32_t size;
  char *text = fl_process_text(task->thread, "maps", &size);
  if (text == NULL) return;
  uint64_t program = fl_program_inode(task->thread);
  bool *was_mapped = calloc(space->image_count + 1, sizeof *was_mapped);
  for (uint32_t i = 0; was_mapped != NULL && i < space->image_count; i++) {
    was_mapped[i] = space->images[i].is_mapped;
    space->images[i].is_mapped = space->images[i].is_program;
  }
  char *rest = text;
  struct fl_mapping mapping;
  space->code_count = 0;
  while (was_mapped != NULL && fl_next_mapping(&rest, &mapping, space->memory)) {
    if (!mapping.is_shared) add_code(space, &mapping);
    if (mapping.inode == program) continue;
    struct fl_mapped_image *image = find_image(space, &mapping);
    if (image == NULL) {
      plant_library(tracer, task, &mapping);
      continue;
    }
    image->is_mapped = true;
    // If a library is loaded again at the same place, its earlier calls stay the first ones.
    uint32_t index = (uint32_t)(image - space->images);
    if (image->sites.count == 0 || was_mapped[index]) continue;
    uint32_t end = image->planted;
    image->planted = 0;
    int error = fl_mapped_image_plant(image, end, space->memory, task->thread);
    if (error != 0) fl_report_problem(tracer, FL_TRACER_NO_ACCESS, mapping.path, error);
  }
  fl_return_sites_keep(&space->returns, is_code, space);
  free(was_mapped);
  free(text);
}
