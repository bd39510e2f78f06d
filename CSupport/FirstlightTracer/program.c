#define _GNU_SOURCE
#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch.h"
#include "memory.h"
#include "process_file.h"

bool fl_program_path(pid_t pid, char *path, uint32_t capacity) {
  char name[32];
  snprintf(name, sizeof name, "/proc/%d/exe", pid);
  ssize_t size = readlink(name, path, capacity - 1);
  if (size < 0) return false;
  path[size] = '\0';
  return true;
}

const char *fl_program_link(pid_t pid, const char *path, char link[32]) {
  struct stat named, run;
  snprintf(link, 32, "/proc/%d/exe", pid);
  bool is_same = stat(path, &named) == 0 && stat(link, &run) == 0 && named.st_ino == run.st_ino &&
                 named.st_dev == run.st_dev;
  return is_same ? path : link;
}

uint64_t fl_inode(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_ino : 0;
}

uint64_t fl_program_inode(pid_t pid) {
  char name[32];
  snprintf(name, sizeof name, "/proc/%d/exe", pid);
  return fl_inode(name);
}

static bool is_traceable(const Elf64_Ehdr *header) {
  return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
         header->e_machine == fl_machine;
}

bool fl_program_bias(pid_t pid, uint64_t *bias) {
  char name[32];
  snprintf(name, sizeof name, "/proc/%d/exe", pid);
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  Elf64_Ehdr header;
  bool valid = pread(file, &header, sizeof header, 0) == sizeof header && is_traceable(&header);
  close(file);
  uint64_t entry = valid ? fl_auxiliary(pid, AT_ENTRY) : 0;
  if (entry == 0) return false;
  *bias = entry - header.e_entry;
  return true;
}

/// Finds the first PT_LOAD at index `from` or later. Returns its index plus 1; 0 if there is none,
/// or if the headers cannot be read.
static unsigned next_segment(int memory, uint64_t start, unsigned from, Elf64_Phdr *segment) {
  Elf64_Ehdr header;
  if (!fl_memory_read(memory, start, &header, sizeof header) || !is_traceable(&header) ||
      header.e_phentsize != sizeof *segment)
    return 0;
  for (unsigned i = from; i < header.e_phnum; i++) {
    if (!fl_memory_read(memory, start + header.e_phoff + i * sizeof *segment, segment,
                        sizeof *segment))
      return 0;
    if (segment->p_type == PT_LOAD) return i + 1;
  }
  return 0;
}

bool fl_image_bias(int memory, uint64_t start, uint64_t *bias) {
  Elf64_Phdr segment;
  // Segments are sorted by address, so the first one is mapped first.
  if (next_segment(memory, start, 0, &segment) == 0) return false;
  *bias = start - (segment.p_vaddr - segment.p_offset);
  return segment.p_offset < 4096;
}

uint64_t fl_image_end(int memory, uint64_t start) {
  Elf64_Phdr segment;
  uint64_t bias, end = 0;
  if (!fl_image_bias(memory, start, &bias)) return 0;
  for (unsigned i = 0; (i = next_segment(memory, start, i, &segment)) != 0;)
    end = bias + segment.p_vaddr + segment.p_memsz;
  return end;
}
