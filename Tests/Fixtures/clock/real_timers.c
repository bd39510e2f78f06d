// libfaketime 0.9.10 adds its offset to the timers of timerfd_settime(2) also where it leaves the monotonic
// clock alone, and so stops timers of programs whose clock is set back. Loaded before it, this keeps them
// as they are.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int timerfd_settime(int file, int flags, const struct itimerspec *new_value,
                    struct itimerspec *old_value) {
  return (int)syscall(SYS_timerfd_settime, file, flags, new_value, old_value);
}
