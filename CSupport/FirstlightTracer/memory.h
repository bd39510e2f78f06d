// Access to the memory of a stopped tracee, read-only pages included.
#ifndef FL_TRACER_MEMORY_H
#define FL_TRACER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Opens a process's memory. The descriptor belongs to the memory it was opened for: after an exec
/// it reads as ended. The caller closes it. -1 with errno.
int fl_memory_open(pid_t pid);

/// Whether so few descriptors are left that this one must be closed soon: some are kept for files
/// that are read and closed at once.
bool fl_descriptor_is_scarce(int file);

bool fl_memory_read(int memory, uint64_t address, void *bytes, size_t size);

/// Writes through /proc/PID/mem. If the kernel does not allow that for read-only pages
/// (proc_mem.force_override=never), writes word by word through ptrace: `thread` must be stopped.
/// False with errno.
bool fl_memory_write(int memory, pid_t thread, uint64_t address, const void *bytes, size_t size);

/// Removes a breakpoint through ptrace alone, if there is one: `saved` is what it replaced. False
/// with errno if the word there can be read and not be written.
bool fl_memory_unbreak(pid_t thread, uint64_t address, const uint8_t *saved);

#endif
