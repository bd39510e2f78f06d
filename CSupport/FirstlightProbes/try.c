// Whether this machine allows the recorder.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "include/firstlight_probes.h"

/// The place of our executable's entry point in its file; 0 if it cannot be found.
static uint64_t own_entry(void) {
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  Elf64_Ehdr header;
  uint64_t offset = 0;
  if (pread(file, &header, sizeof header, 0) == sizeof header)
    for (unsigned i = 0; i < header.e_phnum; i++) {
      Elf64_Phdr segment;
      off_t place = (off_t)(header.e_phoff + i * sizeof segment);
      if (pread(file, &segment, sizeof segment, place) != sizeof segment) break;
      if (segment.p_type == PT_LOAD && header.e_entry >= segment.p_vaddr &&
          header.e_entry - segment.p_vaddr < segment.p_filesz)
        offset = header.e_entry - segment.p_vaddr + segment.p_offset;
    }
  close(file);
  return offset;
}

int fl_probes_try(void) {
  uint64_t entry = own_entry();
  if (entry == 0) return ENOEXEC;
  struct fl_probes *probes = fl_probes_make("/proc/self/exe", 0, &entry, 1, 1);
  if (probes == NULL) return errno;
  uint32_t function = 0;
  int error = fl_probes_watch(probes, 0, &function, 1);
  fl_probes_free(probes);
  return error;
}
