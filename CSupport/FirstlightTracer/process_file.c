#define _GNU_SOURCE
#include "process_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch.h"
#include "memory.h"

char *fl_process_text(pid_t pid, const char *name, uint32_t *size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  uint32_t capacity = 4096;
  uint32_t used = 0;
  char *text = malloc(capacity);
  while (text != NULL) {
    ssize_t got = read(file, text + used, capacity - used - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    used += (uint32_t)got;
    if (used + 1 < capacity) continue;
    char *larger = capacity < 1u << 30 ? realloc(text, capacity * 2) : NULL;
    if (larger == NULL) {
      free(text);
      errno = ENOMEM;
    }
    text = larger;
    capacity *= 2;
  }
  int error = errno;
  close(file);
  errno = error;
  if (text == NULL) return NULL;
  text[used] = '\0';
  *size = used;
  return text;
}

uint64_t fl_status_number(pid_t pid, const char *name, int base) {
  uint32_t size;
  char *text = fl_process_text(pid, "status", &size);
  if (text == NULL) return 0;
  uint64_t number = 0;
  size_t length = strlen(name);
  for (char *line = text; line != NULL; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, name, length) == 0) {
      number = strtoull(line + length, NULL, base);
      break;
    }
  }
  free(text);
  return number;
}

uint64_t fl_start_time(pid_t pid) {
  uint32_t size;
  char *text = fl_process_text(pid, "stat", &size);
  if (text == NULL) return 0;
  // The second field is the program's name in brackets, and may hold anything.
  char *at = strrchr(text, ')');
  for (int field = 2; at != NULL && field < 22; field++) at = strchr(at + 1, ' ');
  uint64_t start = at == NULL ? 0 : strtoull(at, NULL, 10);
  free(text);
  return start;
}

uint64_t fl_auxiliary(pid_t pid, uint64_t type) {
  uint32_t size;
  char *bytes = fl_process_text(pid, "auxv", &size);
  if (bytes == NULL) return 0;
  uint64_t value = 0;
  Elf64_auxv_t entry;
  for (uint32_t at = 0; at + sizeof entry <= size; at += sizeof entry) {
    memcpy(&entry, bytes + at, sizeof entry);
    if (entry.a_type == type) value = entry.a_un.a_val;
  }
  free(bytes);
  return value;
}

/// One line of /proc/PID/maps: "start-end rwxp offset device inode    path". See proc(5).
static bool parse_line(char *line, struct fl_mapping *mapping, uint64_t *offset, bool *executable) {
  char flags[5] = "";
  int path = 0;
  unsigned long long start, end, from, inode;
  if (sscanf(line, "%llx-%llx %4s %llx %*s %llu %n", &start, &end, flags, &from, &inode, &path) < 5)
    return false;
  mapping->start = start;
  mapping->end = end;
  mapping->inode = inode;
  mapping->path = line + path;
  *offset = from;
  *executable = flags[2] == 'x';
  return true;
}

bool fl_next_mapping(char **text, struct fl_mapping *mapping) {
  bool open = false;        // `mapping` holds the beginning of a file
  bool executable = false;  // of which some part can be executed
  while (**text != '\0') {
    char *line = *text;
    char *next = strchr(line, '\n');
    if (next == NULL) next = line + strlen(line);
    char ended_by = *next;
    *next = '\0';
    struct fl_mapping part;
    uint64_t offset;
    bool part_executable;
    bool valid = parse_line(line, &part, &offset, &part_executable) && part.path[0] == '/';
    // Two parts may begin with the file's first page: small files have code in it.
    bool same = valid && open && (offset != 0 || part.start == mapping->end) &&
                part.inode == mapping->inode && strcmp(part.path, mapping->path) == 0;
    if (open && executable && valid && !same) {
      *next = ended_by;  // This line begins the next file: read it again then.
      return true;
    }
    *text = ended_by == '\0' ? next : next + 1;
    if (same) {
      mapping->end = part.end;
      executable |= part_executable;
    } else if (valid && offset == 0) {
      *mapping = part;
      open = true;
      executable = part_executable;
    } else if (valid) {
      open = false;  // A file mapped from its middle: no image.
    }
    // Lines without a file (.bss, heap) may lie between the parts of one.
  }
  return open && executable;
}

bool fl_mapping_around(pid_t pid, uint64_t address, uint64_t *low, uint64_t *high) {
  uint32_t size;
  char *text = fl_process_text(pid, "maps", &size);
  uint64_t before = 0;
  bool found = false;
  for (char *line = text; line != NULL && *line != '\0' && !found;) {
    char *next = strchr(line, '\n');
    if (next != NULL) *next = '\0';
    struct fl_mapping part;
    uint64_t offset;
    bool executable;
    if (parse_line(line, &part, &offset, &executable)) {
      bool grows = strcmp(part.path, "[stack]") == 0;
      *low = grows ? before : part.start;
      *high = part.end;
      found = address >= *low && address < part.end;
      before = part.end;
    }
    line = next == NULL ? NULL : next + 1;
  }
  free(text);
  return found;
}

bool fl_program_path(pid_t pid, char *path, uint32_t capacity) {
  char name[32];
  snprintf(name, sizeof name, "/proc/%d/exe", pid);
  ssize_t size = readlink(name, path, capacity - 1);
  if (size < 0) return false;
  path[size] = '\0';
  return true;
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

bool fl_image_bias(int memory, uint64_t start, uint64_t *bias) {
  Elf64_Ehdr header;
  if (!fl_memory_read(memory, start, &header, sizeof header) || !is_traceable(&header) ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (!fl_memory_read(memory, start + header.e_phoff + i * sizeof segment, &segment,
                        sizeof segment))
      return false;
    // Segments are in order of address, so the first to load is the one mapped first.
    if (segment.p_type == PT_LOAD) {
      *bias = start - (segment.p_vaddr - segment.p_offset);
      return segment.p_offset < 4096;
    }
  }
  return false;
}
