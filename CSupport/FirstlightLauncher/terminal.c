#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "firstlight_launcher.h"

int fl_open_terminal(int *program, int *ours) {
  char name[PATH_MAX];
  int error = 0;
  *program = -1;
  *ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*ours < 0 || grantpt(*ours) != 0 || unlockpt(*ours) != 0) error = errno;
  else error = ptsname_r(*ours, name, sizeof name);
  if (error == 0 && (*program = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) error = errno;
  // Output passes unchanged: no carriage returns before line feeds.
  struct termios settings;
  if (error == 0 && tcgetattr(*program, &settings) == 0) {
    settings.c_oflag &= ~(tcflag_t)OPOST;
    tcsetattr(*program, TCSANOW, &settings);
  }
  if (error != 0 && *ours >= 0) close(*ours);
  return error;
}
