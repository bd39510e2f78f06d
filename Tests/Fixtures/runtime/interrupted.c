// Calls functions for the first time while a timer interrupts it as often as it can; the handlers call
// functions for the first time too, some of the same. Ends with 1 if a call changed errno.
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>

#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n) TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4) TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)
#define ALL(X) HUNDRED(X, 0) HUNDRED(X, 1) HUNDRED(X, 2) HUNDRED(X, 3) HUNDRED(X, 4)
#define ONE(n) void f##n(void) {}
ALL(ONE)
#define NAME(n) f##n,
static void (*const functions[])(void) = {ALL(NAME)};
enum { FUNCTIONS = sizeof functions / sizeof *functions };
static volatile int from_handler = FUNCTIONS, interrupts, wrong;

static void on_alarm(int signal) {
  (void)signal;
  interrupts++;
  for (int i = 0; i < 5 && from_handler > 0; i++) functions[--from_handler]();
}

int main(void) {
  static char stack[65536];
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 20}, {0, 20}};
  setitimer(ITIMER_REAL, &timer, NULL);
  for (int i = 0; i < FUNCTIONS; i++) {
    int before = interrupts;
    errno = 77;
    functions[i]();
    if (errno != 77) wrong = 1;
    // Let the timer come between, so that both ends meet in the middle.
    if (i % 3 == 0 && from_handler > i)
      while (interrupts == before) continue;
  }
  setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
  return wrong;
}
