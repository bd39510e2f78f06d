// Lets descriptor 2 become something else, and has forked children that cannot be recorded, for want of
// handles: unheard database FILE | deaf-pipe | full-pipe. Prints how the child ended.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void in_child(void) {}

static void replace_by_database(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  dup2(file, STDERR_FILENO);
  close(file);
  if (write(STDERR_FILENO, "header\n", 7) != 7) _exit(9);
}

/// From its start, this program's standard error is such a pipe.
static void start_again(char **arguments, int is_full) {
  int ends[2];
  if (pipe(ends) != 0) _exit(9);
  dup2(ends[1], STDERR_FILENO);
  close(ends[1]);
  char byte = 0;
  if (is_full) {
    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    while (write(STDERR_FILENO, &byte, 1) == 1) continue;
    fcntl(STDERR_FILENO, F_SETFL, 0);
  } else {
    close(ends[0]);
  }
  arguments[1] = "again";
  execv("/proc/self/exe", arguments);
  _exit(9);
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  if (strcmp(way, "database") == 0) replace_by_database(arguments[2]);
  if (strcmp(way, "deaf-pipe") == 0) start_again(arguments, 0);
  if (strcmp(way, "full-pipe") == 0) start_again(arguments, 1);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &limit);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(20);  // a write that waits would wait for ever
    in_child();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  printf("%s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return 0;
}
