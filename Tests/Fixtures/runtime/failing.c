// Goes on with its work while recording becomes impossible: failing WAY DIRECTORY [LIBRARY]
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void before(void) {}
void in_child(void) {}
void after(void) {}

static void for_each_file(const char *path, void (*act)(int directory, const char *name)) {
  DIR *directory = opendir(path);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (strstr(entry->d_name, ".segment") != NULL || strstr(entry->d_name, ".process") != NULL)
      act(dirfd(directory), entry->d_name);
  closedir(directory);
}

static void cut(int directory, const char *name) {
  int file = openat(directory, name, O_WRONLY | O_TRUNC);
  close(file);
}

static void removed(int directory, const char *name) { unlinkat(directory, name, 0); }

static void fork_workers(void) {
  for (int i = 0; i < 3; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      in_child();
      _exit(0);
    }
    waitpid(pid, NULL, 0);
  }
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  const char *way = arguments[1], *path = arguments[2];
  before();
  if (strcmp(way, "cut") == 0) for_each_file(path, cut);
  if (strcmp(way, "removed") == 0) {
    for_each_file(path, removed);
    rmdir(path);
  }
  if (strcmp(way, "handles") == 0) setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
  if (strcmp(way, "size") == 0) setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100});
  fork_workers();
  after();
  puts("ran");
  return 5;
}
