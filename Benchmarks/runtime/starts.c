// Runs commands in turns and tells what each took: starts ROUNDS COMMAND -- COMMAND -- ...
//
// A word NAME=VALUE before a command is put into its environment. Prints one line for each command:
// median and quartiles of its time from vfork to its end, us, and its median peak of memory, KiB.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 16 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run(char **command, double *time, double *memory) {
  double start = now();
  pid_t pid = fork();
  if (pid == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1);
    while (strchr(*command, '=') != NULL) putenv(*command++);
    execvp(*command, command);
    perror(*command);
    _exit(127);
  }
  int status;
  struct rusage usage;
  wait4(pid, &status, 0, &usage);
  if (status != 0) {
    fprintf(stderr, "%s ended with status %d\n", *command, status);
    exit(1);
  }
  *time = now() - start;
  *memory = (double)usage.ru_maxrss;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  long rounds = atol(arguments[1]);
  char **commands[COMMANDS] = {arguments + 2};
  int command_count = 1;
  for (int i = 2; i < count; i++) {
    if (strcmp(arguments[i], "--") != 0) continue;
    arguments[i] = NULL;
    if (command_count == COMMANDS) return 64;
    commands[command_count++] = arguments + i + 1;
  }
  double *times[COMMANDS], *memories[COMMANDS], unused;
  for (int c = 0; c < command_count; c++) {
    times[c] = calloc((size_t)rounds, sizeof(double));
    memories[c] = calloc((size_t)rounds, sizeof(double));
    run(commands[c], &unused, &unused);
  }
  for (long round = 0; round < rounds; round++)
    for (int c = 0; c < command_count; c++)
      run(commands[c], &times[c][round], &memories[c][round]);
  for (int c = 0; c < command_count; c++) {
    qsort(times[c], (size_t)rounds, sizeof(double), compare);
    qsort(memories[c], (size_t)rounds, sizeof(double), compare);
    printf("%.1f %.1f %.1f %.0f\n", times[c][rounds / 2], times[c][rounds / 4],
           times[c][rounds * 3 / 4], memories[c][rounds / 2]);
  }
  return 0;
}
