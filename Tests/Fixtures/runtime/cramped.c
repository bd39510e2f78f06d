// A forked child's first call, mark, or word that it is ready, in a signal handler on a stack of 8 KiB
// with a page behind it that nobody may touch: cramped call|mark|ready
#define _GNU_SOURCE
#include <firstlight.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 8192 };
static const char *way;

void in_handler(void) {}

__attribute__((no_sanitize("coverage"))) static void handle(int signal) {
  (void)signal;
  if (strcmp(way, "call") == 0) in_handler();
  if (strcmp(way, "mark") == 0) firstlight_mark("in handler");
  if (strcmp(way, "ready") == 0) firstlight_ready();
}

int main(int count, char **arguments) {
  if (count < 2) return 64;
  way = arguments[1];
  char *memory = mmap(NULL, PAGE + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory, PAGE, PROT_NONE);
  stack_t stack = {.ss_sp = memory + PAGE, .ss_size = STACK};
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) return 9;
  pid_t pid = fork();
  if (pid == 0) {
    raise(SIGUSR1);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status != 0;
}
