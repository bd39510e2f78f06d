#define _GNU_SOURCE
#include "mappings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process_file.h"
#include "program.h"

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
  mapping->is_shared = flags[3] == 's';
  mapping->path = line + path;
  *offset = from;
  *executable = flags[2] == 'x';
  return true;
}

bool fl_next_mapping(char **text, struct fl_mapping *mapping, int memory) {
  bool open = false;        // `mapping` holds the beginning of a file
  bool executable = false;  // some part of that file can be executed
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
    bool same = valid && open && part.inode == mapping->inode &&
                part.is_shared == mapping->is_shared && strcmp(part.path, mapping->path) == 0;
    // Two parts may begin with the file's first page, because small files have code there. A part
    // that begins the file again, or lies apart, may also belong to a second copy.
    if (same && (offset == 0 || part.start != mapping->end)) {
      uint64_t limit = fl_image_end(memory, mapping->start);
      same = limit != 0 ? part.start < limit : offset != 0 || part.start == mapping->end;
    }
    if (open && executable && valid && !same) {
      *next = ended_by;  // this line begins the next file
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
      open = false;  // a file that is mapped from its middle is not an image
    }
    // Mappings without a file (.bss, heap) may lie between the parts of a file.
  }
  return open && executable;
}

/// Parses the next mapping from the text of /proc/PID/maps, and moves `text` forward. Changes the
/// text. False at the end.
static bool next_part(char **text, struct fl_mapping *part, bool *executable) {
  uint64_t offset;
  while (**text != '\0') {
    char *line = *text;
    char *next = strchr(line, '\n');
    if (next != NULL) *next = '\0';
    *text = next == NULL ? line + strlen(line) : next + 1;
    if (parse_line(line, part, &offset, executable)) return true;
  }
  return false;
}

bool fl_code_is_shared(pid_t pid, uint64_t inode, uint64_t low, uint64_t high) {
  uint32_t size;
  char *text = fl_process_text(pid, "maps", &size);
  char *rest = text;
  struct fl_mapping part;
  bool executable;
  bool found = false;
  while (text != NULL && !found && next_part(&rest, &part, &executable))
    found = executable && part.is_shared && part.inode == inode && part.start >= low &&
            part.start < high;
  free(text);
  return found;
}

bool fl_mapping_has_file(pid_t pid, uint64_t address) {
  uint32_t size;
  char *text = fl_process_text(pid, "maps", &size);
  char *rest = text;
  struct fl_mapping part;
  bool executable;
  bool found = false;
  bool has_file = false;
  while (text != NULL && !found && next_part(&rest, &part, &executable)) {
    found = address >= part.start && address < part.end;
    has_file = found && part.inode != 0;
  }
  free(text);
  return has_file;
}

bool fl_mapping_around(pid_t pid, uint64_t address, uint64_t *low, uint64_t *high) {
  uint32_t size;
  char *text = fl_process_text(pid, "maps", &size);
  char *rest = text;
  uint64_t before = 0;
  bool executable;
  bool found = false;
  struct fl_mapping part;
  while (text != NULL && !found && next_part(&rest, &part, &executable)) {
    bool grows = strcmp(part.path, "[stack]") == 0;
    *low = grows ? before : part.start;
    *high = part.end;
    found = address >= *low && address < part.end;
    before = part.end;
  }
  free(text);
  return found;
}
