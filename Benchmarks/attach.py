"""Measures what attaching costs servers under load. Run by Scripts/bench attach, as root.

Servers: redis, nginx with two workers, and one of 20,000 functions that calls 2,000 of them. Each is loaded
by 8 connections; after two seconds a recorder attaches, and watches for 10 s. Rounds without a recorder
alternate. Prints medians. Environment: FIRSTLIGHT, ROUNDS (default 5).
"""

import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

FIRSTLIGHT = os.environ.get("FIRSTLIGHT", ".build/release/firstlight")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
BEFORE, WATCHED = 2, 10
HERE = os.path.dirname(os.path.abspath(__file__))
GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
# The load is heavier than other work on this machine.
NICE = ["nice", "-n", "-19"] if os.getuid() == 0 else []

SERVER = """#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) {
  int server = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  bind(server, (void *)&address, size);
  getsockname(server, (void *)&address, &size);
  listen(server, 64);
  printf("%d\\n", ntohs(address.sin_port));
  fflush(stdout);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = server}, ready[64];
  epoll_ctl(poll, EPOLL_CTL_ADD, server, &event);
  for (unsigned request = 0;;) {
    int count = epoll_wait(poll, ready, 64, -1);
    for (int i = 0; i < count; i++) {
      char text[4096], *answer = "HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\nok\\n";
      int one = ready[i].data.fd;
      if (one == server) {
        event.data.fd = accept(server, 0, 0);
        epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event);
      } else if (read(one, text, sizeof text) <= 0) {
        close(one);
      } else {
        for (int j = 0; j < 200; j++) all[(request % 10 * 200 + j) * 10]();
        request++;
        write(one, answer, strlen(answer));
      }
    }
  }
}
"""


def large(folder):
    names = [f"f{i}" for i in range(20000)]
    with open(folder + "/large.c", "w") as file:
        file.write("volatile long x;\n")
        file.writelines(f"__attribute__((noinline)) void {n}(void) {{ x += {n[1:]}; }}\n" for n in names)
        file.write("void (*all[])(void) = {" + ",".join(names) + "};\n" + SERVER)
    subprocess.run(["cc", "-O1", "-w", folder + "/large.c", "-o", folder + "/large"], check=True)
    server = subprocess.Popen(NICE + [folder + "/large"], stdout=subprocess.PIPE, text=True)
    return server, int(server.stdout.readline()), GET, folder + "/large"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port, seconds=10):
    """Waits until a server listens."""
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise SystemExit("the server does not listen")
            time.sleep(0.05)


def redis(folder):
    port = free_port()
    program = shutil.copy(shutil.which("redis-server"), folder)
    server = subprocess.Popen(
        NICE + [program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
        stdout=subprocess.DEVNULL, cwd=folder)
    wait_for(port)
    return server, port, "INCR a\r\n", program


def nginx(folder):
    port = free_port()
    program = shutil.copy(shutil.which("nginx"), folder)
    with open(folder + "/conf", "w") as file:
        file.write(f"daemon off; worker_processes 2; pid {folder}/pid; events {{}} http {{ access_log off;\n"
                   f"keepalive_requests 100000000; server {{ listen 127.0.0.1:{port}; return 200 ok; }} }}")
    os.chmod(folder, 0o755)
    server = subprocess.Popen(NICE + [program, "-c", folder + "/conf", "-e", folder + "/log"])
    wait_for(port)
    return server, port, GET, program


def measure(port, request, target, options, folder):
    """Rate before, in the first second and after it; longest answers; what the recorder said."""
    load = subprocess.Popen(
        NICE + [folder + "/load", str(port), str(BEFORE + WATCHED), request], stdout=subprocess.PIPE, text=True)
    time.sleep(BEFORE)
    began, said = time.monotonic(), ""
    if options is not None:
        said = subprocess.run(
            NICE + [FIRSTLIGHT, "record", "--attach", target, "--for", f"{WATCHED - 1}s", "-o", folder + "/p.flp"]
            + options, stderr=subprocess.PIPE, text=True, check=True).stderr
    rows = [[float(word) for word in line.split()] for line in load.stdout]
    if load.wait() != 0:
        raise SystemExit("a request failed")
    parts = [[r for r in rows if r[0] + 0.1 <= began],
             [r for r in rows if began < r[0] + 0.1 and r[0] < began + 1],
             [r for r in rows if began + 1 <= r[0] < began + WATCHED - 1]]
    return ([sum(r[1] for r in part) / len(part) * 10 for part in parts],
            [max(r[2] for r in part) for part in parts],
            [line for line in said.splitlines() if "cost:" in line or "recorded" in line])


def main():
    with tempfile.TemporaryDirectory() as tools:
        subprocess.run(["cc", "-O2", HERE + "/attach/load.c", "-o", tools + "/load"], check=True)
        for make in (redis, nginx, large):
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(tools + "/load", folder)
                server, port, request, program = make(folder)
                target = os.path.basename(program) if make is nginx else str(server.pid)
                ways = {"no recorder": None, "probes": [], "ptrace": ["--ptrace"]}
                if make is large:
                    ways["ptrace, --budget 5%"] = ["--ptrace", "--budget", "5%"]
                found = {way: [] for way in ways}
                try:
                    for _ in range(ROUNDS):
                        for way, options in ways.items():
                            found[way].append(measure(port, request, target, options, folder))
                finally:
                    server.terminate()
                    server.wait()
            print(f"{make.__name__}, medians of {ROUNDS}:")
            for way, rounds in found.items():
                def change(part):
                    return statistics.median(rates[part] / rates[0] - 1 for rates, _, _ in rounds)
                longest = [statistics.median(each[part] for _, each, _ in rounds) for part in range(3)]
                print(f"  {way:12} before {statistics.median(r[0] for r, _, _ in rounds):7.0f}/s, first second "
                      f"{change(1):+6.1%}, after {change(2):+6.1%}; longest request "
                      + ", ".join(f"{ms:.1f}" for ms in longest) + " ms")
                for line in rounds[-1][2]:
                    print("    " + line.replace("firstlight: ", ""))


main()
