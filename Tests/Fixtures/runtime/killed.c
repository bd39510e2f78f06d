// Notes in a shared file which of its functions' bodies were entered, and dies as it is told:
//   killed LOG WAY POINT     WAY: kill segv abort _exit quick_exit wait; POINT: at which function
// One byte of LOG a function; the function's hook ran before the byte is written.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FUNCTIONS = 1000, THREADS = 4 };
static volatile unsigned char *entered;
static const char *way;
static long point;

static __attribute__((noinline)) void enter(long number) {
  entered[number] = 1;
  if (number != point) return;
  if (strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(way, "segv") == 0) *(volatile int *)0 = 1;
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "_exit") == 0) _exit(0);
  if (strcmp(way, "quick_exit") == 0) quick_exit(0);
}

#define ONE(n) void f##n(void) { enter(1##n - 1000); }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(0) HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)
#undef ONE
#define ONE(n) f##n,
static void (*const functions[])(void) = {
  HUNDRED(0) HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)
};

static void *run(void *first) {
  for (long i = (long)first; i < FUNCTIONS; i += THREADS) functions[i]();
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 4) return 64;
  way = arguments[2];
  point = atol(arguments[3]);
  int file = open(arguments[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (ftruncate(file, FUNCTIONS) != 0) return 74;
  entered = mmap(NULL, FUNCTIONS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  for (long i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return 0;
}
