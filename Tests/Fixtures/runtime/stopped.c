// A child that stops itself between two functions, and a parent that waits for that and lets it go on.
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void parent_saw_it_stop(void) {}
void child_before(void) {}
void child_after(void) {}

int main(void) {
  pid_t pid = fork();
  if (pid == 0) {
    child_before();
    raise(SIGSTOP);
    child_after();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, WUNTRACED);
  if (!WIFSTOPPED(status)) return 1;
  parent_saw_it_stop();
  kill(pid, SIGCONT);
  return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 2;
}
