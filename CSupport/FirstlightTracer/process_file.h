// Files of /proc/PID.
#ifndef FL_TRACER_PROCESS_FILE_H
#define FL_TRACER_PROCESS_FILE_H

#include <stdint.h>
#include <sys/types.h>

/// A number from the line of /proc/PID/status that starts with `name`; 0 if there is none.
uint64_t fl_status_number(pid_t pid, const char *name, int base);

/// The state of a thread ('R', 'S', 'D', ...: proc(5)); 0 if unknown.
char fl_thread_state(pid_t thread);

/// When a process started, in clock ticks since boot; 0 if unknown.
uint64_t fl_start_time(pid_t pid);

/// A whole file of /proc/PID, with a NUL after it; the size is in `size`. The caller frees it. NULL
/// with errno.
char *fl_process_text(pid_t pid, const char *name, uint32_t *size);

/// A number of the auxiliary vector (`AT_ENTRY`, ...); 0 if there is none.
uint64_t fl_auxiliary(pid_t pid, uint64_t type);

#endif
