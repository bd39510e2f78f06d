// Calls in all ways that a recorder has to follow: program WAY
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone)) static

volatile int calls;
static jmp_buf place;

FUNCTION int leaf(int x) { return calls += x; }
FUNCTION int inner(int x) { return leaf(x) + 1; }
FUNCTION int outer(int x) { return inner(x) + inner(x + 1); }
FUNCTION int recurse(int depth) { return depth == 0 ? leaf(1) : recurse(depth - 1) + 1; }
FUNCTION void jumps(void) {
  calls++;
  longjmp(place, 1);
}
FUNCTION int catches(void) {
  if (setjmp(place) == 0) jumps();
  return leaf(2);
}
// Leaves two frames, of which one is not the caller's.
FUNCTION int deeper(void) {
  jumps();
  return 5;
}
FUNCTION int deep(void) { return deeper() + 1; }
FUNCTION int catches_deep(void) {
  int jumped = setjmp(place);
  if (jumped != 0) return leaf(jumped);
  return deep() + leaf(6);
}
__attribute__((noinline, noclone)) int last(int x) { return calls += x; }
__attribute__((noinline, noclone, optimize("O2"))) int passes(int x) { return last(x + 1); }
FUNCTION void handler(int signal) {
  leaf(signal);
}
FUNCTION void *in_thread(void *number) {
  for (int i = 0; i < 200; i++) outer((int)(long)number);
  return NULL;
}
FUNCTION void threads(void) {
  pthread_t all[8];
  for (long i = 0; i < 8; i++) pthread_create(&all[i], NULL, in_thread, (void *)i);
  for (int i = 0; i < 8; i++) pthread_join(all[i], NULL);
}
FUNCTION void in_child(void) { leaf(3); }
FUNCTION void in_parent(void) { leaf(4); }
FUNCTION void forks(void) {
  pid_t child = fork();
  if (child == 0) {
    in_child();
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  in_parent();
  calls += WEXITSTATUS(status);
}
FUNCTION void signals(void) {
  signal(SIGUSR1, handler);
  for (int i = 0; i < 3; i++) raise(SIGUSR1);
}
// Says whether the program's code in memory is that of the file.
FUNCTION int compare(struct dl_phdr_info *program, size_t size, void *nothing) {
  (void)size, (void)nothing;
  for (int i = 0; i < program->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &program->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    char *code = malloc(part->p_filesz);
    int file = open("/proc/self/exe", O_RDONLY);
    ssize_t got = pread(file, code, part->p_filesz, (off_t)part->p_offset);
    close(file);
    int differs = memcmp(code, (char *)program->dlpi_addr + part->p_vaddr, part->p_filesz);
    puts(got != (ssize_t)part->p_filesz ? "unread" : differs ? "changed" : "as the file");
    free(code);
  }
  return 1;
}
// Does what standard input says, for a recorder that attaches.
FUNCTION void obeys(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  puts("ready");
  for (int order; (order = getchar()) != 'q';) {
    if (order == 'm') dl_iterate_phdr(compare, NULL);
    if (order == 'c') outer(1);
    if (order == 'f') forks();
    if (order == 't') threads();
    printf("did %c\n", order);
  }
}
FUNCTION void never(void) { calls = -1; }

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  if (strcmp(way, "never") == 0) never();
  if (strcmp(way, "calls") == 0) {
    outer(1);
    recurse(5);
    catches();
    catches_deep();
    passes(1);
  }
  if (strcmp(way, "threads") == 0) threads();
  if (strcmp(way, "forks") == 0) forks();
  if (strcmp(way, "signals") == 0) signals();
  if (strcmp(way, "obeys") == 0) obeys();
  if (strcmp(way, "threads") == 0) puts("threads");
  else printf("%s %d\n", way, calls);
  return 3;
}
