// Without guards: a child says that it is ready, its parent does not. Prints the id of the child:
// readied [mark]: whether the child sets a mark before
#include <firstlight.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  firstlight_mark("parent");
  pid_t pid = fork();
  if (pid == 0) {
    if (strcmp(way, "mark") == 0) firstlight_mark("child");
    firstlight_ready();
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  printf("%d\n", pid);
  return 0;
}
