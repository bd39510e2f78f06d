// Has functions with guards in the place of libc's, as wrappers of system calls do, and a forked
// child, whose first calls they are: replaced call|mark|cut DIRECTORY
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <firstlight.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNINSTRUMENTED __attribute__((no_sanitize("coverage")))

static volatile int is_in_child;
static int calls;

/// Has a guard of its own.
__attribute__((noinline)) static void count(void) { calls += is_in_child; }

#define REPLACE(result, name, parameters, call) \
  result name parameters {                      \
    count();                                    \
    return (result)call;                        \
  }

int open(const char *path, int flags, ...) {
  count();
  va_list more;
  va_start(more, flags);
  int mode = va_arg(more, int);
  va_end(more);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

REPLACE(ssize_t, read, (int file, void *bytes, size_t size), syscall(SYS_read, file, bytes, size))
REPLACE(int, close, (int file), syscall(SYS_close, file))
REPLACE(void *, mmap, (void *at, size_t size, int access, int flags, int file, off_t offset),
        syscall(SYS_mmap, at, size, access, flags, file, offset))
REPLACE(int, munmap, (void *at, size_t size), syscall(SYS_munmap, at, size))
REPLACE(int, unlink, (const char *path), syscall(SYS_unlinkat, AT_FDCWD, path, 0))
REPLACE(pid_t, getpid, (void), syscall(SYS_getpid))
REPLACE(int, pthread_sigmask, (int how, const sigset_t *new, sigset_t *old),
        syscall(SYS_rt_sigprocmask, how, new, old, 8))
REPLACE(int, clock_gettime, (clockid_t clock, struct timespec *time),
        syscall(SYS_clock_gettime, clock, time))

int pthread_setcancelstate(int state, int *old) {
  count();
  return ((int (*)(int, int *))dlsym(RTLD_NEXT, "pthread_setcancelstate"))(state, old);
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  count();
  for (size_t i = 0; i < size; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}

UNINSTRUMENTED static void cut_all(const char *path) {
  DIR *files = opendir(path);
  for (struct dirent *entry; (entry = readdir(files)) != NULL;)
    if (entry->d_name[0] != '.')
      syscall(SYS_close, openat(dirfd(files), entry->d_name, O_WRONLY | O_TRUNC));
  closedir(files);
}

void in_child(void) {}

UNINSTRUMENTED int main(int argument_count, char **arguments) {
  if (argument_count < 3) return 64;
  if (strcmp(arguments[1], "cut") == 0) {
    cut_all(arguments[2]);
    in_child();
    open("/dev/null", O_RDONLY);
    puts("ran");
    return 0;
  }
  pid_t pid = fork();
  if (pid == 0) {
    is_in_child = 1;
    if (strcmp(arguments[1], "mark") == 0) firstlight_mark("mark");
    else in_child();
    // Again: what interrupted the creation of the files is recorded now.
    in_child();
    open("/dev/null", O_RDONLY);
    _exit(calls > 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  if (status == 0) puts("ran");
  return status != 0;
}
