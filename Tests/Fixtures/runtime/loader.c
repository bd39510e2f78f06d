// Loads a library and calls its entry: loader plain|unprivileged|cut LIBRARY DIRECTORY
//
// unprivileged: after giving up its rights. cut: then cuts all files in the directory short and calls
// into the library again.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void cut_all(const char *path) {
  DIR *directory = opendir(path);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    int file = openat(dirfd(directory), entry->d_name, O_WRONLY | O_TRUNC);
    if (file >= 0) close(file);
  }
  closedir(directory);
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  if (strcmp(arguments[1], "unprivileged") == 0 &&
      (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
    return 9;
  void *library = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  ((void (*)(void))dlsym(library, "entry"))();
  if (strcmp(arguments[1], "cut") == 0) {
    cut_all(arguments[3]);
    ((void (*)(void))dlsym(library, "again"))();
  }
  dlclose(library);
  struct sigaction action;
  sigaction(SIGBUS, NULL, &action);
  puts(action.sa_handler == SIG_DFL ? "default" : "handled");
  return 0;
}
