/* A pool of six threads whose functions are each called once, some microseconds long; with an argument, one thread
   after the other. */
#include <pthread.h>

static volatile unsigned long sink;
#define WORK(THREAD, NUMBER)                                       \
  __attribute__((noinline)) void work_##THREAD##_##NUMBER(void) {  \
    unsigned long value = NUMBER;                                  \
    for (int i = 0; i < 60000; i++) {                              \
      value = value * 2862933555777941757ul + 3037000493ul;        \
      __asm__ volatile("" ::"r"(value));                           \
    }                                                              \
    sink = value;                                                  \
  }
#define EIGHT(THREAD)                                                            \
  WORK(THREAD, 0) WORK(THREAD, 1) WORK(THREAD, 2) WORK(THREAD, 3)                \
  WORK(THREAD, 4) WORK(THREAD, 5) WORK(THREAD, 6) WORK(THREAD, 7)                \
  static void *worker_##THREAD(void *none) {                                     \
    work_##THREAD##_0(), work_##THREAD##_1(), work_##THREAD##_2();               \
    work_##THREAD##_3(), work_##THREAD##_4(), work_##THREAD##_5();               \
    work_##THREAD##_6(), work_##THREAD##_7();                                    \
    return none;                                                                 \
  }
EIGHT(0) EIGHT(1) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(5)

int main(int count, char **arguments) {
  void *(*const workers[])(void *) = {worker_0, worker_1, worker_2, worker_3, worker_4, worker_5};
  pthread_t threads[6];
  (void)arguments;
  for (int i = 0; i < 6; i++) {
    pthread_create(&threads[i], 0, workers[i], 0);
    if (count > 1) pthread_join(threads[i], 0);
  }
  if (count == 1)
    for (int i = 0; i < 6; i++) pthread_join(threads[i], 0);
}
