import Foundation
import TestSupport
import Testing

/// `launch` says what it waits for, and what a program does that does not get ready.
@Suite(.tags(.compiler)) struct LaunchWaitTests {
  private static let server = """
    #include <arpa/inet.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/socket.h>
    #include <unistd.h>
    int main(int count, char **arguments) {
      struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
      socklen_t size = sizeof address;
      int server = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
      setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      address.sin_port = htons(count > 1 ? atoi(arguments[1]) : 0);
      if (bind(server, (void *)&address, sizeof address) || listen(server, 5)) return 1;
      getsockname(server, (void *)&address, &size);
      if (count < 2) return printf("%d\\n", ntohs(address.sin_port)) < 0;
      for (;;) pause();
    }
    """

  @Test func aServerThatDoesNotEndIsNamedWithItsPortAndTheCommandThatMeasuresIt() throws {
    let server = try Fixture.c(Self.server, flags: Fixture.plain)
    // One that the kernel has just had to give.
    let port = try Command.check([server.executable]).trimmingCharacters(in: .newlines)
    let result = try Command.run([
      Toolchain.firstlight, "launch", "--format", "json", "--runs", "1", "--until=exit",
      "--timeout", "3s", "--", server.executable, port,
    ])
    #expect(result.status == 65)
    let lines = result.errors.split(separator: "\n").map(String.init)
    #expect(
      lines.first?.hasPrefix("firstlight: waiting until \(server.executable) has ended") == true)
    let does = "\(server.executable) runs and listens on port \(port). To measure up to that: "
    let told = try #require(lines.first { $0.contains(does) }, "\(result.errors)")
    #expect(lines.last?.contains("within 3.0 s, but runs and listens on port \(port)") == true)
    // It ran in main up to the end of the wait.
    let account = try JSONDecoder().decode(LaunchDocument.self, from: Data(result.output.utf8))
    let main = try #require(account.watched.first?.record.stages.first { $0.kind == "main" })
    #expect(main.duration > 2_000_000_000)

    let command = try #require(told.components(separatedBy: does).last)
    #expect(lines.last?.hasSuffix(command) == true, "\(result.errors)")
    let folder = Toolchain.products.path
    let measured = try Command.check(
      ["sh", "-c", command], environment: ["PATH": "\(folder):\(Toolchain.path)"])
    #expect(measured.contains("\"failure\" : null") || !measured.contains("\"failure\""))
  }

  /// Oracle: the program's own count of its starts.
  @Test func aSlowStartSaysHowManyFollow() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <stdlib.h>
      #include <unistd.h>
      int main(void) {
        FILE *file = fopen(getenv("STARTS"), "a");
        fputs("start\\n", file);
        usleep(1100000);
        return fclose(file);
      }
      """, flags: Fixture.plain)
    let file = program.directory.path("starts")
    let result = try Command.run(
      [Toolchain.firstlight, "launch", "--runs", "2", program.executable],
      environment: ["STARTS": file])
    let starts = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("; --runs 1 takes the least time\n"), "\(result.errors)")
    #expect(result.errors.contains(": \(starts - 1) more take"), "\(starts): \(result.errors)")
  }

  @Test func aShortStartIsSilent() throws {
    let program = try Fixture.c("int main(void) { return 0; }", flags: Fixture.plain)
    let result = try Command.run([
      Toolchain.firstlight, "launch", "--runs", "1", "--no-calls", program.executable,
    ])
    #expect(result.status == 0 && !result.errors.contains("waiting"), "\(result.errors)")
  }
}
