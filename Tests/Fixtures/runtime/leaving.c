// Threads of a forked child call functions for the first time while signal handlers interrupt them:
// leaving jump|stop|real-time|trap|emulate
//
// jump: handlers jump away. stop: a handler keeps its thread until the others are done. real-time:
// a thread that others cannot preempt calls while another one, which it has preempted, is calling.
// trap: jumps out of a system call that a filter refuses. emulate: answers such a call, in
// functions with guards.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define UNINSTRUMENTED __attribute__((no_sanitize("coverage")))

void first(void) {}
void second(void) {}
void third(void) {}
void in_handler(void) {}

static sigjmp_buf before_call;
static sem_t stopped;
static volatile int is_running;
static double waited;

UNINSTRUMENTED static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

UNINSTRUMENTED static void *call_first(void *unused) {
  is_running = 1;
  first();
  pause();
  return unused;
}

UNINSTRUMENTED static void *call_second(void *unused) {
  second();
  third();
  return unused;
}

UNINSTRUMENTED static void run(void *(*function)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  pthread_join(thread, NULL);
}

UNINSTRUMENTED static void jump(int signal) {
  (void)signal;
  siglongjmp(before_call, 1);
}

UNINSTRUMENTED static void jump_away(int wait) {
  signal(SIGALRM, jump);
  if (sigsetjmp(before_call, 1) == 0) {
    struct itimerval soon = {{0, 0}, {0, 1 + wait}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &soon, NULL);
    first();
    setitimer(ITIMER_REAL, &never, NULL);
  }
  run(call_second);
}

UNINSTRUMENTED static void stop(int signal) {
  (void)signal;
  sigset_t others;
  sem_post(&stopped);
  sigfillset(&others);
  sigdelset(&others, SIGUSR2);
  sigsuspend(&others);
}

UNINSTRUMENTED static void go_on(int signal) { (void)signal; }

/// As a garbage collector does.
UNINSTRUMENTED static void stop_the_world(int wait) {
  struct sigaction action = {.sa_handler = stop};
  sigfillset(&action.sa_mask);
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGUSR2, go_on);
  sem_init(&stopped, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, call_first, NULL);
  while (!is_running) continue;
  for (volatile int i = 0; i < wait * 500; i++) continue;
  pthread_kill(thread, SIGUSR1);
  sem_wait(&stopped);
  second();
  pthread_kill(thread, SIGUSR2);
}

UNINSTRUMENTED static void *call_unpreempted(void *wait) {
  struct sched_param parameters = {.sched_priority = 1};
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) != 0) _exit(9);
  is_running = 1;
  nanosleep(wait, NULL);
  double start = now();
  second();
  waited = now() - start;
  return NULL;
}

UNINSTRUMENTED static void preempt(int wait) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  struct timespec time = {0, 20000 + wait * 2000};
  pthread_t thread;
  pthread_create(&thread, NULL, call_unpreempted, &time);
  while (!is_running) sched_yield();
  first();
  pthread_join(thread, NULL);
  // The kernel keeps threads that wait actively off a processor after 0.95 s.
  if (waited > 0.5) _exit(8);
}

UNINSTRUMENTED static void jump_out(int wait) {
  (void)wait;
  signal(SIGSYS, jump);
  if (sigsetjmp(before_call, 1) == 0) first();
  double start = now();
  run(call_second);
  if (now() - start > 10) _exit(8);
}

static void answer(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  in_handler();
#if defined(__x86_64__)
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -EOPNOTSUPP;
#else
  ((ucontext_t *)context)->uc_mcontext.regs[0] = (unsigned long long)-EOPNOTSUPP;
#endif
}

UNINSTRUMENTED static void emulate(int wait) {
  (void)wait;
  struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  first();
  in_handler();
}

enum { FIRST_REFUSED = 50 };

/// Starts the program again under a filter that refuses fallocate for high descriptors.
UNINSTRUMENTED static int start_again(char **arguments) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_REFUSED, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  // By syscall: a program that binds prctl has its children's files made within fork().
  if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
    return 9;
  execl("/proc/self/exe", arguments[0], arguments[1], "again", (char *)NULL);
  return 9;
}

UNINSTRUMENTED int main(int count, char **arguments) {
  if (count < 2) return 64;
  const char *way = arguments[1];
  void (*act)(int wait) = NULL;
  int times = 100;
  if (strcmp(way, "jump") == 0) act = jump_away;
  if (strcmp(way, "stop") == 0) act = stop_the_world;
  if (strcmp(way, "real-time") == 0) act = preempt;
  if (strcmp(way, "trap") == 0 || strcmp(way, "emulate") == 0) {
    if (count < 3) return start_again(arguments);
    for (int i = 3; i < FIRST_REFUSED; i++) dup2(STDIN_FILENO, i);
    act = strcmp(way, "trap") == 0 ? jump_out : emulate;
    times = 1;
  }
  if (act == NULL) return 64;
  for (int i = 0; i < times; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      act(i * 2);
      _exit(0);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    if (status != 0) {
      fprintf(stderr, "child %d: status %x\n", i, (unsigned)status);
      return 1;
    }
  }
  return 0;
}
