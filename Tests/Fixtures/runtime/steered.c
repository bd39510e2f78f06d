// Says what is to be recorded: steered start DIRECTORY | pause | resume
#include <dlfcn.h>
#include <firstlight.h>
#include <stdio.h>
#include <string.h>

void library_one(void);
void library_two(void);
void one(void) { library_one(); }
void two(void) { library_two(); }
void three(void) {}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  one();
  printf("%d", firstlight_is_recording());
  if (strcmp(way, "start") == 0) printf("%d", firstlight_start(arguments[2]));
  if (strcmp(way, "pause") == 0) firstlight_pause();
  if (strcmp(way, "resume") == 0) firstlight_resume();
  printf("%d", firstlight_is_recording());
  one();
  two();
  if (strcmp(way, "pause") == 0) firstlight_resume();
  two();
  three();
  printf("%d\n", firstlight_flush());
  return 0;
}
