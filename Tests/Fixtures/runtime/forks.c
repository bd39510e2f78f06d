// Forks while another thread calls the API all the time; the children need the loader's lock, as
// those do that throw exceptions: forks pause|start|flush|none DIRECTORY
//
// none: threads only fork, two at once.
#define _GNU_SOURCE
#include <firstlight.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNINSTRUMENTED __attribute__((no_sanitize("coverage")))

static const char *way, *directory;

void in_child(void) {}

UNINSTRUMENTED static int visit(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)info, (void)size, (void)unused;
  return 0;
}

UNINSTRUMENTED static int fork_once(void) {
  pid_t pid = fork();
  if (pid == 0) {
    // A child that waits for a lock that its parent's thread has taken ends here.
    alarm(5);
    signal(SIGALRM, SIG_DFL);
    in_child();
    dl_iterate_phdr(visit, NULL);
    _exit(0);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  return status;
}

UNINSTRUMENTED static void *act(void *unused) {
  for (;;) {
    if (strcmp(way, "pause") == 0) firstlight_pause();
    else if (strcmp(way, "start") == 0) firstlight_start(directory);
    else if (strcmp(way, "flush") == 0) firstlight_flush();
    else fork_once();
  }
  return unused;
}

UNINSTRUMENTED int main(int count, char **arguments) {
  if (count < 3) return 64;
  way = arguments[1];
  directory = arguments[2];
  pthread_t thread;
  pthread_create(&thread, NULL, act, NULL);
  for (int i = 0; i < 300; i++) {
    if (fork_once() != 0) {
      fprintf(stderr, "child %d hangs\n", i);
      _exit(1);
    }
  }
  puts("ran");
  fflush(stdout);
  _exit(0);
}
