import Foundation
import TestSupport
import Testing

/// `--until lambda`: functions that ask for an event and answer it, and those that do something else. The
/// peers are sockets in C, and the HTTP of Python's library.
@Suite(.tags(.compiler)) struct LambdaTests {
  private static let bootstrap = """
    #include <arpa/inet.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/socket.h>
    #include <unistd.h>
    static char reply[1 << 16];
    static int dial(void) {
      char *api = strdup(getenv("AWS_LAMBDA_RUNTIME_API")), *port = strchr(api, ':');
      *port++ = 0;
      struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(port)),
                                    .sin_addr.s_addr = inet_addr(api)};
      int file = socket(AF_INET, SOCK_STREAM, 0);
      if (connect(file, (void *)&address, sizeof address) != 0) exit(3);
      return file;
    }
    static void ask(int file, const char *request) {
      size_t size = 0;
      write(file, request, strlen(request));
      do {
        ssize_t count = read(file, reply + size, sizeof reply - 1 - size);
        if (count <= 0) exit(4);
        reply[size += count] = 0;
      } while (!strstr(reply, "\\r\\n\\r\\n"));
    }
    static const char *next = "GET /2018-06-01/runtime/invocation/next HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n";
    static void post(int file, const char *path, const char *body) {
      char text[1024];
      sprintf(text, "POST /2018-06-01/runtime/%s HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: %zu\\r\\n\\r\\n%s",
              path, strlen(body), body);
      ask(file, text);
    }
    __attribute__((noinline)) void handle(const char *id, const char *kind, int file) {
      char path[256];
      sprintf(path, "invocation/%s/%s", id, kind);
      post(file, path, "{\\"errorType\\":\\"Function.Broken\\",\\"errorMessage\\":\\"no\\\\nluck\\"}");
      if (!strstr(reply, " 202 ")) exit(5);
    }
    int main(int count, char **arguments) {
      const char *mode = count > 1 ? arguments[1] : "";
      if (!strcmp(mode, "never")) for (;;) pause();
      if (!strcmp(mode, "dies")) { fprintf(stderr, "no config\\n"); return 7; }
      int file = dial();
      if (!strcmp(mode, "garbage")) { write(file, "\\x16\\x03\\x01 hello\\n", 11); pause(); }
      if (!strcmp(mode, "init-error")) {
        post(file, "init/error", "{\\"errorType\\":\\"Runtime.NoHandler\\",\\"errorMessage\\":\\"gone\\"}");
        return 1;
      }
      if (!strcmp(mode, "early")) post(file, "invocation/1/response", "{}");
      ask(file, "GET /2020-01-01/extension/register HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
      if (!strstr(reply, " 404 ")) return 6;
      ask(file, next);
      char *id = strstr(reply, "Lambda-Runtime-Aws-Request-Id: ");
      if (!id || !strstr(reply, "Lambda-Runtime-Deadline-Ms: ")) return 8;
      id += 31;
      *strchr(id, '\\r') = 0;
      id = strdup(id);
      if (!strcmp(mode, "silent")) for (;;) pause();
      if (!strcmp(mode, "dies-later")) abort();
      if (!strcmp(mode, "other")) id = "other";
      if (!strcmp(mode, "slow")) usleep(200000);
      handle(id, strcmp(mode, "error") ? "response" : "error", strcmp(mode, "reconnect") ? file : dial());
      if (!strcmp(mode, "once")) return 0;
      ask(file, next);
      return 9;
    }
    """

  private func bootstrap() throws -> Fixture {
    try Fixture.c(Self.bootstrap, options: ["-O0"], flags: Fixture.plain)
  }

  @Test func theRequestAndTheAnswerAreStages() throws {
    let account = try bootstrap().launch(["--runs", "3", "--until", "lambda"], ["slow"])
    #expect(account.failure == nil)
    #expect(account.source == "ready when its answer had arrived")
    let stages = try #require(account.watched.first).record.stages
    #expect(stages.suffix(2).map(\.kind) == ["main", "event"])
    #expect(stages.last!.duration > 200_000_000)
    for start in account.starts {
      let initialization = try #require(start.initialization)
      #expect(initialization > 0 && initialization + 200_000_000 < start.duration)
    }
    #expect(try account.call("main").ending == "running")
    #expect(try account.parent("handle") == "main")
  }

  @Test(arguments: ["reconnect", "once"])
  func connectionsAndEndsAreTheFunctionsAffair(mode: String) throws {
    let account = try bootstrap().launch(["--runs", "3", "--until", "lambda"], [mode])
    #expect(account.failure == nil)
    #expect(account.starts.count == 3)
  }

  /// Each with one line that says what the function did.
  private static let failures = [
    "never": "not asked for a Lambda event within 300 ms",
    "dies":
      "ended with exit status 7 before it had asked for a Lambda event; last output: no config",
    "garbage": "sent something other than HTTP/1.1 to Lambda's runtime interface",
    "init-error": "reported an error in its initialization: Runtime.NoHandler: gone",
    "early": "answered before it had asked for a Lambda event",
    "silent": "not answered a Lambda event within 300 ms",
    "dies-later": "was killed by signal 6",
    "other": "answered a Lambda event with another request id than it was given",
    "error": #"answered its Lambda event with an error: Function.Broken: no\nluck"#,
  ]

  @Test(arguments: failures.keys.sorted())
  func functionsThatDoNotAnswerGetOneLine(mode: String) throws {
    let (program, words) = (try bootstrap(), try #require(Self.failures[mode]))
    let options = [
      "--until", "lambda", "--timeout", mode == "never" || mode == "silent" ? "300ms" : "30s",
    ]
    func check(_ command: [String], _ status: Int32) throws {
      let result = try Command.run(
        [Toolchain.firstlight] + command + options + ["--", program.executable, mode])
      #expect(result.status == status, "\(result.errors)")
      let lines = result.errors.split(separator: "\n").filter { $0.contains(words) }
      #expect(lines.count == 1, "\(result.errors)")
    }
    try check(["launch", "--runs", "1"], 65)
    try check(["gate", "--against", program.executable], 193)
    // record ends as the program does.
    guard !mode.hasPrefix("dies") else { return }
    try check(["record", "--no-rebuild", "-o", program.directory.path("a.flp")], 65)
  }

  @Test func theEventOfAFileArrivesAndPythonsClientIsUnderstood() throws {
    let directory = try TemporaryDirectory()
    let event = #"{"name": "\#(String(repeating: "x", count: 1 << 20))"}"#
    try directory.write(event, to: "event.json")
    let script = try directory.write(
      """
      import http.client, json, os, re, sys, uuid
      assert os.environ["AWS_LAMBDA_FUNCTION_NAME"] and os.environ["_HANDLER"] == "mine"
      client = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
      root = "/2018-06-01/runtime/invocation/"
      client.request("GET", root + "next", headers={"X-%d" % n: "y" * 100 for n in range(90)})
      reply = client.getresponse()
      assert reply.status == 200 and len(json.loads(reply.read())["name"]) == 1 << 20
      id = reply.headers["Lambda-Runtime-Aws-Request-Id"]
      assert str(uuid.UUID(id)) == id
      assert int(reply.headers["Lambda-Runtime-Deadline-Ms"]) > 1600000000000
      assert reply.headers["Lambda-Runtime-Invoked-Function-Arn"].startswith("arn:aws:lambda:")
      trace = r"Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=[01]"
      assert re.fullmatch(trace, reply.headers["Lambda-Runtime-Trace-Id"])
      # Without a length, the library sends chunks.
      client.request("POST", root + id + "/response", (b"x" * 70000 for _ in range(100)))
      assert client.getresponse().status == 202
      client.request("GET", root + "next")
      client.getresponse()
      """, to: "bootstrap.py")
    let python = Fixture(directory: directory, executable: "/usr/bin/python3")
    let options = ["--runs", "1", "--no-calls", "--env", "_HANDLER=mine"]
    let account = try python.launch(
      options + ["--until", "lambda:\(directory.path("event.json"))"], [script])
    #expect(account.failure == nil)

    for (file, text, status) in [("none.json", nil, 66), ("bad.json", "{", 65)]
      as [(String, String?, Int32)]
    {
      if let text { try directory.write(text, to: file) }
      let result = try Command.run(
        [
          Toolchain.firstlight, "launch", "--until", "lambda:\(directory.path(file))", "--",
          "/bin/true",
        ])
      #expect(result.status == status)
      #expect(result.errors.split(separator: "\n").count == 1 && result.errors.contains(file))
    }
  }

  @Test func compareShowsTheTimeToTheRequestToo() throws {
    let program = try bootstrap()
    let text = try Command.check([
      Toolchain.firstlight, "compare", program.executable, program.executable, "--runs", "5",
      "--until",
      "lambda", "--format", "json",
    ])
    let comparison = try JSONDecoder().decode(CompareTests.Comparison.self, from: Data(text.utf8))
    let (ready, asked) = (comparison.row("milliseconds"), comparison.row("initMilliseconds"))
    #expect(try #require(asked).a.median < #require(ready).a.median)
  }
}
