// Flushes to a disk that takes until another thread has forked, and its child and itself have used
// the loader. Prints what came in time.
#define _GNU_SOURCE
#include <firstlight.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNINSTRUMENTED __attribute__((no_sanitize("coverage")))

static sem_t begun, done;

UNINSTRUMENTED int msync(void *start, size_t size, int flags) {
  sem_post(&begun);
  sem_wait(&done);
  sem_post(&done);
  return (int)syscall(SYS_msync, start, size, flags);
}

UNINSTRUMENTED static int visit(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)info, (void)size, (void)unused;
  return 0;
}

UNINSTRUMENTED static void *flush(void *unused) {
  printf("flushed %d\n", firstlight_flush());
  return unused;
}

void in_child(void) {}

UNINSTRUMENTED int main(void) {
  // A thread that waits for the flush ends the program here.
  alarm(60);
  pthread_t thread;
  pthread_create(&thread, NULL, flush, NULL);
  sem_wait(&begun);
  dl_iterate_phdr(visit, NULL);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(10);
    in_child();
    dl_iterate_phdr(visit, NULL);
    _exit(0);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  printf("child %d\n", status);
  fflush(stdout);
  sem_post(&done);
  pthread_join(thread, NULL);
  return 0;
}
