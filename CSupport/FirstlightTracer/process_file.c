#define _GNU_SOURCE
#include "process_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/// A field of /proc/PID/stat: its first letter, and its number.
static char stat_field(pid_t pid, int wanted, uint64_t *number) {
  uint32_t size;
  char *text = fl_process_text(pid, "stat", &size);
  if (text == NULL) return 0;
  // The second field is the program's name in parentheses, which may contain any character.
  const char *at = strrchr(text, ')');
  for (int field = 2; at != NULL && field < wanted; field++) at = strchr(at + 1, ' ');
  char first = at == NULL ? 0 : at[1];
  *number = at == NULL ? 0 : strtoull(at, NULL, 10);
  free(text);
  return first;
}

char fl_thread_state(pid_t thread) {
  uint64_t none;
  return stat_field(thread, 3, &none);
}

uint64_t fl_start_time(pid_t pid) {
  uint64_t start = 0;
  stat_field(pid, 22, &start);
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
