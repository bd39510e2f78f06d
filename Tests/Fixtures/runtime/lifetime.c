// What runs before, beside and after main.
#include <pthread.h>
#include <stdlib.h>

static void preinit(void) { __asm__ volatile(""); }
__attribute__((section(".preinit_array"), used)) static void (*const before_all)(void) = preinit;
__attribute__((constructor(101))) static void early(void) { __asm__ volatile(""); }
__attribute__((constructor)) static void late(void) { __asm__ volatile(""); }
__attribute__((destructor)) static void first_destructor(void) { __asm__ volatile(""); }
__attribute__((destructor(101))) static void last_destructor(void) { __asm__ volatile(""); }
static void at_exit(void) { __asm__ volatile(""); }
static void end_thread(void *unused) { (void)unused; __asm__ volatile(""); }
static void *thread_main(void *key) {
  pthread_setspecific(*(pthread_key_t *)key, key);
  return NULL;
}

int main(void) {
  atexit(at_exit);
  pthread_key_t key;
  pthread_key_create(&key, end_thread);
  pthread_t thread;
  pthread_create(&thread, NULL, thread_main, &key);
  pthread_join(thread, NULL);
  return 0;
}
