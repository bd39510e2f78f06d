// Access to the memory of a stopped tracee, read-only pages included.
#ifndef FL_TRACER_MEMORY_H
#define FL_TRACER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Opens a process's memory. The descriptor stays with that memory: after an exec, reads return the
/// end of file. The caller closes the descriptor. -1 with errno.
int fl_memory_open(pid_t pid);

/// Whether this descriptor must be closed soon, because few are left: some are reserved for files
/// that are read and closed at once.
bool fl_descriptor_is_scarce(int file);

bool fl_memory_read(int memory, uint64_t address, void *bytes, size_t size);

/// Writes through /proc/PID/mem. If the kernel forbids that for read-only pages
/// (proc_mem.force_override=never), writes word by word through ptrace, and `thread` must be
/// stopped. False with errno.
bool fl_memory_write(int memory, pid_t thread, uint64_t address, const void *bytes, size_t size);

/// Removes a breakpoint, if there is one, only through ptrace. `saved`: the original bytes. False
/// with errno if the word there can be read but not written.
bool fl_memory_unbreak(pid_t thread, uint64_t address, const uint8_t *saved);

#endif
