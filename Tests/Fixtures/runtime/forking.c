// Calls functions for the first time while a timer's handler forks: the child leaves the handler in the
// midst of what the parent was doing, the hook too, and goes on with the same functions for a while.
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define FIFTY(X, n) TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4)
#define ALL(X) FIFTY(X, 0) FIFTY(X, 1) FIFTY(X, 2) FIFTY(X, 3) FIFTY(X, 4) FIFTY(X, 5)
#define ONE(n) void f##n(void) {}
ALL(ONE)
#define NAME(n) f##n,
static void (*const functions[])(void) = {ALL(NAME)};
enum { FUNCTIONS = sizeof functions / sizeof *functions, FORKS = 40 };
static volatile int is_child, forks;

void in_handler(void) {}

static void stop_timer(void) { setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL); }

__attribute__((no_sanitize("coverage"))) static void on_alarm(int signal) {
  (void)signal;
  if (is_child || forks == FORKS) return;
  forks++;
  if (fork() != 0) return;
  is_child = 1;
  stop_timer();
  if (forks % 2) in_handler();
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 20}, {0, 20}}, NULL);
  for (int i = 0; i < FUNCTIONS; i++) {
    int before = forks;
    functions[i]();
    if (is_child && i % 7 == 0) _exit(0);
    while (!is_child && i % 7 == 0 && forks == before && forks < FORKS) continue;
  }
  if (is_child) _exit(0);
  stop_timer();
  while (wait(NULL) > 0) continue;
  return 0;
}
