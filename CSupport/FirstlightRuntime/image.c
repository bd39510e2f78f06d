// Asks the loader, once, which image an address lies in. Runs in a constructor.
#define _GNU_SOURCE
#include "image.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

struct search {
  uintptr_t address;
  struct fl_segment_header *header;
};

/// Copies the build id out of one PT_NOTE segment, if it is there.
FL_LOCAL void find_build_id(struct fl_segment_header *header, const char *notes, size_t size,
                            size_t alignment) {
  size_t padding = alignment == 8 ? 7 : 3;
  size_t at = 0;
  while (size - at >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
    size_t name = at + sizeof *note;
    size_t description = (name + note->n_namesz + padding) & ~padding;
    size_t end = description + note->n_descsz;
    if (note->n_namesz > size || note->n_descsz > size || end > size) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        memcmp(notes + name, "GNU", 4) == 0 && note->n_descsz <= FL_BUILD_ID_MAX) {
      memcpy(header->build_id, notes + description, note->n_descsz);
      header->build_id_size = note->n_descsz;
      return;
    }
    at = (end + padding) & ~padding;
    if (at > size) return;
  }
}

FL_LOCAL void set_path(struct fl_segment_header *header, const char *name) {
  ssize_t size;
  if (name != NULL && name[0] != '\0') {
    size = (ssize_t)strlen(name);
    header->path_truncated = size > (ssize_t)FL_PATH_MAX;
    if (header->path_truncated) size = FL_PATH_MAX;
    memcpy(header->path, name, (size_t)size);
  } else {
    // The loader names the executable with an empty string.
    size = readlink("/proc/self/exe", header->path, FL_PATH_MAX);
    header->path_truncated = size == (ssize_t)FL_PATH_MAX;
  }
  header->path_size = size > 0 ? (uint32_t)size : 0;
}

FL_LOCAL int visit(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  uintptr_t first = UINTPTR_MAX, last = 0;
  int inside = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t start = segment->p_vaddr, end = start + segment->p_memsz;
    if (start < first) first = start;
    if (end > last) last = end;
    if (search->address - info->dlpi_addr - start < segment->p_memsz) inside = 1;
  }
  if (!inside) return 0;
  search->header->load_bias = info->dlpi_addr;
  search->header->image_start = first;
  search->header->image_size = last - first;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE && search->header->build_id_size == 0)
      find_build_id(search->header, (const char *)(info->dlpi_addr + segment->p_vaddr),
                    segment->p_memsz, segment->p_align);
  }
  set_path(search->header, info->dlpi_name);
  return 1;
}

FL_HIDDEN void fl_image_describe(struct fl_segment_header *header, const void *address) {
  struct search search = {(uintptr_t)address, header};
  dl_iterate_phdr(visit, &search);
}
