// load PORT CONNECTIONS SECONDS PATH: keeps one request in flight on each connection, prints requests a second.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
int main(int n, char **v) {
  int port = atoi(v[1]), count = atoi(v[2]); double seconds = atof(v[3]);
  char request[512];
  int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", v[4]);
  int poll = epoll_create1(0);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < count; i++) {
    int s = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (connect(s, (void *)&to, sizeof to)) { perror("connect"); return 1; }
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = s};
    epoll_ctl(poll, EPOLL_CTL_ADD, s, &e);
    if (write(s, request, size) != size) return 1;
  }
  long done = 0; char buffer[65536];
  double start = now(), end = start + seconds;
  while (now() < end) {
    struct epoll_event events[64];
    int got = epoll_wait(poll, events, 64, 100);
    for (int i = 0; i < got; i++) {
      int s = events[i].data.fd;
      // Small answers come in one piece.
      if (read(s, buffer, sizeof buffer) <= 0) { fprintf(stderr, "closed\n"); return 1; }
      done++;
      if (write(s, request, size) != size) return 1;
    }
  }
  printf("%ld %.3f\n", done, now() - start);
}
