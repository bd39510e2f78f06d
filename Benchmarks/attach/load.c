// load PORT SECONDS REQUEST: sends requests on 8 connections, each after the answer to the one before.
// Prints a line for each tenth of a second: CLOCK_MONOTONIC, answers, milliseconds of the longest one.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 8, DESCRIPTORS = 1024 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double sent[DESCRIPTORS];

static void ask(int socket, const char *request) {
  sent[socket] = now();
  if (write(socket, request, strlen(request)) < 0) exit(1);
}

int main(int count, char **arguments) {
  if (count != 4) return 64;
  const char *request = arguments[3];
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(arguments[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int poll = epoll_create1(0);
  for (int i = 0; i < CONNECTIONS; i++) {
    int yes = 1;
    int one = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(one, (struct sockaddr *)&address, sizeof address) != 0) return 1;
    setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = one};
    epoll_ctl(poll, EPOLL_CTL_ADD, one, &event);
    ask(one, request);
  }
  double begin = now();
  double end = begin + atof(arguments[2]);
  double longest = 0;
  long answers = 0;
  static char answer[1 << 16];
  while (begin < end) {
    struct epoll_event events[CONNECTIONS];
    int ready = epoll_wait(poll, events, CONNECTIONS, 100);
    for (; now() >= begin + 0.1; begin += 0.1, answers = 0, longest = 0)
      printf("%.3f %ld %.3f\n", begin, answers, longest * 1e3);
    for (int i = 0; i < ready; i++) {
      int one = events[i].data.fd;
      if (read(one, answer, sizeof answer) <= 0) return 1;
      double took = now() - sent[one];
      if (took > longest) longest = took;
      answers++;
      ask(one, request);
    }
  }
  return 0;
}
