import Foundation
import TestSupport
import Testing

/// `optimize` on programs whose builds know nothing of it.
@Suite(.serialized, .tags(.compiler)) struct OptimizeTests {
  /// 400 functions of half a page each, of which a start calls every tenth, last ones first; pointers
  /// to relocate; a table of which it reads every fourth page.
  private static let source = """
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    #define F(n) __attribute__((noinline)) int f##n(int x) { \\
      __asm__ volatile("jmp 1f\\n.fill 2000, 1, 0x90\\n1:"); return x + n; }
    #define TEN(M, d) M(d##0) M(d##1) M(d##2) M(d##3) M(d##4) M(d##5) M(d##6) M(d##7) M(d##8) M(d##9)
    #define HUNDRED(M, c) TEN(M, c##0) TEN(M, c##1) TEN(M, c##2) TEN(M, c##3) TEN(M, c##4) \\
      TEN(M, c##5) TEN(M, c##6) TEN(M, c##7) TEN(M, c##8) TEN(M, c##9)
    #define ALL(M) HUNDRED(M, 1) HUNDRED(M, 2) HUNDRED(M, 3) HUNDRED(M, 4)
    ALL(F)
    #define POINTER(n) f##n,
    static int (*const functions[])(int) = {ALL(POINTER)};
    __attribute__((aligned(4096))) static const volatile char table[4096 * 400] = {1};
    int main(int count, char **arguments) {
      char self[4096] = "";
      if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 2;
      if (count > 1 && strcmp(arguments[1], "crash") == 0 && strstr(self, "/after/")) abort();
      if (count > 1 && strcmp(arguments[1], "hang") == 0) for (;;) pause();
      if (count > 1 && strcmp(arguments[1], "wait") == 0 && strstr(self, "/after/")) {
        close(open("started", O_WRONLY));
        for (;;) pause();
      }
      int sum = 0;
      for (int i = 390; i >= 0; i -= 10) sum = functions[i](sum);
      for (int i = 0; i < 400; i += 4) sum += table[4096 * i];
      printf("%d\\n", sum);
      return 0;
    }
    """

  private static let makefile = """
    program: main.o
    \t$(CC) $(LDFLAGS) -o program main.o
    main.o: main.c
    \t$(CC) -O1 -g $(CFLAGS) -c main.c
    \t@echo compiled >> compiled
    clean:
    \trm -f main.o program
    \tfind . -name '*.o' -exec rm {} +
    """

  private static let build =
    #"make -s clean && make -s CC=clang CFLAGS="{cflags}" LDFLAGS="{flags}""#

  private func project() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write(Self.source, to: "main.c")
    try directory.write(Self.makefile, to: "Makefile")
    return directory
  }

  private func optimize(
    _ arguments: [String], build: String = build, in directory: TemporaryDirectory
  ) throws -> CommandResult {
    try Command.run(
      [
        Toolchain.firstlight, "optimize", "--binary", "program", "--build", build,
        "--runs", "5", "--warm",
      ] + arguments, in: directory.url)
  }

  private func symbols(_ path: String) throws -> [(name: String, address: UInt64)] {
    try Command.check(["llvm-nm", "-n", "--defined-only", path]).split(separator: "\n").map {
      let words = $0.split(separator: " ")
      return (String(words[2]), UInt64(words[0], radix: 16)!)
    }
  }

  /// Names of functions as they lie.
  private func layout(_ path: String) throws -> [String] {
    try symbols(path).map(\.name).filter { $0.wholeMatch(of: /f[0-9]+/) != nil }
  }

  /// These functions in the order of the file that the linker read.
  private func ordered(
    _ names: [String], in results: String, of directory: TemporaryDirectory
  ) throws -> [String] {
    try String(contentsOfFile: directory.path("\(results)/program.order"), encoding: .utf8)
      .split(separator: "\n").map(String.init).filter(names.contains)
  }

  /// The lines of strace with which a program asks for its pages.
  private func prefetches(
    _ program: String, in directory: TemporaryDirectory
  ) throws -> [Substring] {
    let trace = directory.path("trace")
    try Command.check(["strace", "-e", "trace=madvise,execve", "-o", trace, program])
    return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("MADV_WILLNEED") }
  }

  @Test func aProgramIsOrderedPackedAndPrefetched() throws {
    let directory = try project()
    let result = try optimize(["-o", "out"], in: directory)
    try #require(result.status == 0, "\(result.errors)")
    // Once as the user does, once with sections, once by the recipe: the links in order repeat the linker's command.
    #expect(
      try String(contentsOfFile: directory.path("compiled"), encoding: .utf8)
        == "compiled\ncompiled\ncompiled\n")
    try Command.check(["rm", directory.path("compiled")])

    // What it called lies together, in the order of the calls.
    let after = directory.path("out/after/program")
    let calls = (0..<40).map { "f\(490 - 10 * $0)" }
    let addresses = Dictionary(
      try symbols(after).map { ($0.name, $0.address) }, uniquingKeysWith: { first, _ in first })
    let placed = try calls.map { try #require(addresses[$0]) }
    #expect(placed == placed.sorted())
    #expect(placed.last! - placed[0] < 41 * 2100)
    // Relocations are packed.
    #expect(try Command.check(["llvm-readelf", "-S", after]).contains(".relr.dyn"))
    #expect(
      try !Command.check(["llvm-readelf", "-S", directory.path("out/before/program")])
        .contains(".relr.dyn"))
    // It works as before, and asks for its pages before it does anything else.
    let plain = try Command.check([directory.path("out/before/program")])
    #expect(try Command.check([after]) == plain)
    let advice = try prefetches(after, in: directory)
    #expect(!advice.isEmpty && advice.allSatisfy { $0.hasSuffix("= 0") })
    // Every fourth page of the table is one range with its gaps.
    #expect(
      advice.contains { line in
        let size = line.split(separator: ",")[1].drop { $0 == " " }
        return Int(size)! >= 397 * 4096
      })

    // The user's own build is as it was.
    #expect(
      FileManager.default.contentsEqual(
        atPath: directory.path("program"), andPath: directory.path("out/before/program")))
    #expect(directory.entries == ["Makefile", "main.c", "main.o", "out", "program", "trace"])

    // The prefetch is no new initializer for a gate.
    let gate = try Command.run([
      Toolchain.firstlight, "gate", "--against", directory.path("out/before/program"),
      "--judge", "initializers", after,
    ])
    #expect(gate.status == 0, "\(gate.output) \(gate.errors)")

    // Its last line builds the same from a copy that has the sources alone.
    let copy = try TemporaryDirectory()
    try Command.check(["cp", "main.c", "Makefile", copy.url.path], in: directory.url)
    let command = try #require(result.output.split(separator: "\n").last)
    #expect(command.hasSuffix("LDFLAGS=\"@\(directory.path("out/program.flags"))\""), "\(command)")
    try Command.check(["sh", "-c", String(command)], in: copy.url)
    let again = copy.path("program")
    #expect(try layout(again).filter(calls.contains) == ordered(calls, in: "out", of: directory))
    #expect(try layout(again) == layout(after))
    #expect(try Command.check(["llvm-readelf", "-S", again]).contains(".relr.dyn"))
    #expect(try prefetches(again, in: copy).count == advice.count)
    // What it does is told where nobody watches, too.
    for step in [
      "this takes 3 full builds, 2 more links (each a full build if", "building as you do",
      "built in", "building with own sections",
      "recording 3 runs", "linking in order", "building as the recipe does",
      "measuring 5 runs of each",
    ] {
      #expect(result.errors.contains("firstlight: \(step)"), "\(step)")
    }
    for name in ["program.flp", "program.order", "program.html", "program.json", "program.txt"] {
      #expect(FileManager.default.fileExists(atPath: directory.path("out/\(name)")))
    }
  }

  /// Oracle: the version needs that readelf shows.
  @Test func theTargetsGlibcDecidesAboutPacking() throws {
    let directory = try project()
    func versions(_ path: String) throws -> Set<String> {
      let text = try Command.check(["llvm-readelf", "--version-info", directory.path(path)])
      return Set(text.matches(of: /Name: GLIBC_(2\.[0-9]+)/).map { String($0.1) })
    }
    let result = try optimize(["-o", "out", "--target-glibc", "2.35"], in: directory)
    try #require(result.status == 0, "\(result.errors)")
    let sections = try Command.check(["llvm-readelf", "-S", directory.path("out/after/program")])
    #expect(!sections.contains(".relr.dyn"))
    #expect(result.output.contains("they need glibc 2.36, and the target has 2.35"))
    let least = try #require(
      try versions("out/after/program").max {
        $0.compare($1, options: .numeric) == .orderedAscending
      })
    #expect(result.output.contains("starts with glibc \(least) or newer\n"))

    let refused = try optimize(["-o", "old", "--target-glibc", "2.2"], in: directory)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("program: needs glibc \(least) (for "))
    #expect(refused.errors.contains("and the target has 2.2; build it where glibc is 2.2 or older"))
    #expect(!refused.errors.contains("building with own sections"))
    let unclear = try optimize(["-o", "old", "--target-glibc", "bullseye"], in: directory)
    #expect(unclear.status == 64 && unclear.errors.contains("bullseye"))
  }

  /// Both flags get lost, or those for the compiler alone.
  @Test(arguments: [
    ("make -s clean && make -s CC=clang # {flags}", "does not pass {flags} to the linker"),
    (#"make -s clean && make -s CC=clang LDFLAGS="{flags}""#, "the linker did not move functions"),
  ])
  func aBuildThatLosesTheFlagsIsRefused(build: String, words: String) throws {
    let directory = try project()
    let result = try optimize(["-o", "out"], build: build, in: directory)
    #expect(result.status == 65)
    #expect(result.output == "")
    #expect(result.errors.contains("nothing was changed"), "\(result.errors)")
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path("out/after")) == [])
    #expect(
      FileManager.default.contentsEqual(
        atPath: directory.path("program"), andPath: directory.path("out/unfinished/before/program"))
    )
  }

  /// A program whose few functions lie in order anyway is no such case.
  @Test func aProgramOfOneFunctionIsNotRefused() throws {
    let directory = try TemporaryDirectory()
    try directory.write("int main(void) { return 0; }\n", to: "main.c")
    try directory.write(Self.makefile, to: "Makefile")
    let result = try optimize(["-o", "out"], in: directory)
    #expect(result.status == 0, "\(result.errors)")
    // Nor is anything recommended that gains nothing, and the rule is said.
    #expect(result.output.contains("\nNot recommended. "), "\(result.output)")
    #expect(!result.output.contains("from now on"))
    #expect(
      result.output.contains(
        "\nRule: the new build is recommended if time to ready or CPU time "))
  }

  /// What is measured is what the command at the end makes, byte by byte, and the user's objects come back.
  @Test func aPackageIsBuiltInItsPlace() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(name: "hello", targets: [.executableTarget(name: "Hello")])
      """, to: "Package.swift")
    try directory.write(
      """
      @inline(never) func never(_ x: Int) -> Int { x + CommandLine.arguments.count }
      @inline(never) func greet(_ name: String) { print("Hello, \\(name)!") }
      if CommandLine.arguments.count > 5 { print(never(1)) }
      greet("light")
      """, to: "Sources/Hello/main.swift")
    // SwiftPM's warnings may come after what it was asked for.
    let wrapper = try TemporaryDirectory()
    let swift = try ProgramFile.script(
      "#!/bin/sh\nswift \"$@\"; status=$?; echo 'warning: late' >&2; exit $status\n",
      at: wrapper.path("swift"))
    // Without a standard input, as SwiftPM starts plug-ins at times.
    let result = try Command.run(
      [
        "sh", "-c", #"exec "$0" "$@" <&-"#, Toolchain.firstlight, "optimize", "--binary",
        ".own/release/Hello", "--build",
        "\(swift) build -c release --scratch-path .own", "--runs", "5", "--recorded-runs", "1",
        "--warm",
      ], in: directory.url)
    try #require(result.status == 0, "\(result.errors)")
    #expect(directory.entries == [".own", "Hello.firstlight", "Package.swift", "Sources"])
    let own = "\(swift) build -c release --scratch-path .own"
    let before = try Data(
      contentsOf: directory.url.appending(path: "Hello.firstlight/before/Hello"))
    #expect(try Data(contentsOf: directory.url.appending(path: ".own/release/Hello")) == before)
    let again = try Command.check(["sh", "-c", own], in: directory.url)
    #expect(!again.contains("Compiling"), "\(again)")
    let order = try String(
      contentsOfFile: directory.path("Hello.firstlight/Hello.order"), encoding: .utf8)
    #expect(order.contains("$s5Hello5greetyySSF") && !order.contains("$s5Hello5neveryS2iF"))
    #expect(
      try Command.check([directory.path("Hello.firstlight/after/Hello")]) == "Hello, light!\n")
    // The command at its end makes the same program, although objects of the user's build are there; in a copy, the
    // same layout. There it needs the toolset beside the sources.
    let last = try #require(result.output.split(separator: "\n").last)
    let toolset = "Hello.firstlight/Hello.toolset.json"
    #expect(last == "\(swift) build -c release --scratch-path .own --toolset \(toolset)")
    let copy = try TemporaryDirectory()
    try Command.check(
      ["cp", "-r", "--parents", "Package.swift", "Sources", toolset, copy.url.path],
      in: directory.url)
    func functions(_ path: String) throws -> [String] {
      try symbols(path).map(\.name).filter { $0.hasPrefix("$s5Hello") }
    }
    let measured = try functions(directory.path("Hello.firstlight/after/Hello"))
    let wanted = order.split(separator: "\n").map(String.init).filter(measured.contains)
    for folder in [directory, copy] {
      try Command.check(["sh", "-c", String(last)], in: folder.url)
      let made = folder.path(".own/release/Hello")
      #expect(
        folder.url == copy.url
          || FileManager.default.contentsEqual(
            atPath: made, andPath: directory.path("Hello.firstlight/after/Hello"))
      )
      #expect(try functions(made) == measured)
      #expect(try functions(made).filter(wanted.contains) == wanted)
      #expect(try Command.check(["llvm-readelf", "-S", made]).contains(".relr.dyn"))
    }
  }

  @Test func aScriptIsRefusedBeforeAnythingIsRecorded() throws {
    let directory = try project()
    let result = try optimize(
      [], build: "printf '#!/bin/sh\\n' > program; chmod +x program # {flags}", in: directory)
    #expect(result.status == 65)
    #expect(result.errors.contains("program: a script for /bin/sh"), "\(result.errors)")
    #expect(result.errors.contains("--disable-shared"))
  }

  /// What the user's own build has made, by name.
  private func built(in directory: TemporaryDirectory) throws -> [String: String] {
    let names = directory.entries.filter { $0 == "program" || $0.hasSuffix(".o") }
    return Dictionary(
      uniqueKeysWithValues: try names.map { name in
        (name, try Command.check(["sha256sum", name], in: directory.url))
      })
  }

  /// Sends a signal when the program's builds or starts have come so far that they open a pipe.
  private func interrupt(
    _ arguments: [String], build: String, with signal: Int32, in directory: TemporaryDirectory
  ) throws {
    try Command.check(["sh", "-c", "make -s CC=clang"], in: directory.url)
    let before = try built(in: directory)
    #expect(before.keys.sorted() == ["main.o", "program"])
    try Command.check(["mkfifo", "started"], in: directory.url)
    let running = try Command.start(
      [
        Toolchain.firstlight, "optimize", "--binary", "program", "--build", build, "--runs", "5",
        "--warm",
      ] + arguments, in: directory.url)
    // Blocks until they have.
    _ = try FileHandle(forReadingFrom: URL(fileURLWithPath: directory.path("started"))).readToEnd()
    running.send(signal)
    let result = try running.wait()
    #expect(result.signalled && result.status == signal, "\(result.errors)")
    #expect(result.errors.contains("interrupted; program and its objects are as"))
    #expect(try built(in: directory) == before)
    // make finds nothing to do.
    #expect(try Command.run(["make", "-q"], in: directory.url).status == 0)
  }

  /// Waits until a signal ends it. The shell that says so becomes the program that waits: dash loses a SIGINT
  /// that comes while it starts a program.
  private static let waiting = "sh -c 'echo > started; exec sleep 600'"

  /// While the second build has removed what the first one made.
  @Test(arguments: [SIGINT, SIGTERM])
  func anInterruptedBuildLeavesTheUsersBuild(signal: Int32) throws {
    let build =
      #"if [ -n "{flags}" ]; then make -s clean; \#(Self.waiting); fi; make -s CC=clang"#
    try interrupt([], build: build, with: signal, in: try project())
  }

  /// While the user's own build has removed what there was.
  @Test func anInterruptedFirstBuildLeavesTheUsersBuild() throws {
    let build = #"make -s clean; \#(Self.waiting); make -s CC=clang LDFLAGS="{flags}""#
    try interrupt([], build: build, with: SIGTERM, in: try project())
  }

  /// While the objects are those of the program in order, and nothing is built.
  @Test func anInterruptedComparisonLeavesTheUsersBuild() throws {
    let build =
      #"make -s CC=clang CFLAGS="{cflags}" LDFLAGS="{flags}" -W main.c"#
    try interrupt(["--", "wait"], build: build, with: SIGTERM, in: try project())
  }

  /// A folder and a program with a blank, as make, CMake and the shell itself pass flags on.
  @Test(arguments: [
    #"make -s clean && make -s CC=clang CFLAGS="{cflags}" LDFLAGS="{flags}""#,
    "make -s clean && make -s CC=clang CFLAGS='{cflags}' LDFLAGS='{flags}'",
    "clang -O1 -g {cflags} main.c {flags} -o program",
    "gcc -O1 -g {cflags} main.c {flags} -o program",
    "cmake -S . -B build -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS='-g {cflags}' "
      + "-DCMAKE_EXE_LINKER_FLAGS='{flags}' >/dev/null && cmake --build build --clean-first "
      + ">/dev/null && cp build/program program",
  ])
  func pathsMayHaveBlanks(build: String) throws {
    let outer = try project()
    try Command.check(["mkdir", "my app"], in: outer.url)
    try Command.check(["mv", "main.c", "Makefile", "my app/"], in: outer.url)
    let folder = outer.url.appending(path: "my app")
    try """
    cmake_minimum_required(VERSION 3.13)
    project(program C)
    add_executable(program main.c)

    """.write(to: folder.appending(path: "CMakeLists.txt"), atomically: true, encoding: .utf8)
    let result = try Command.run(
      [
        Toolchain.firstlight, "optimize", "--binary", "program", "--build", build, "--runs", "5",
        "--warm", "-o", "the results",
      ], in: folder)
    try #require(result.status == 0, "\(result.errors)")
    let measured = try layout("\(folder.path)/the results/after/program")
    #expect(try measured != layout("\(folder.path)/the results/before/program"))
    // Its last line works when pasted in a copy.
    let copy = outer.url.appending(path: "my copy")
    try Command.check(["mkdir", copy.path])
    try Command.check(["cp", "main.c", "Makefile", "CMakeLists.txt", copy.path], in: folder)
    let command = try #require(result.output.split(separator: "\n").last)
    try Command.check(["sh", "-c", String(command)], in: copy)
    #expect(try layout("\(copy.path)/program") == measured)
  }

  @Test func failuresAreReportedAndEarlierResultsStay() throws {
    let directory = try project()
    func failure(_ status: Int32, _ words: [String], _ result: CommandResult) {
      #expect(result.status == status)
      for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
    }
    failure(64, ["{flags}"], try optimize([], build: "make", in: directory))
    failure(64, ["'$'"], try optimize(["-o", "a$b"], in: directory))
    failure(
      65, ["exit status 3", "no good", "build-before.log"],
      try optimize([], build: "echo no good; exit 3 # {flags}", in: directory))
    failure(
      65, ["program: not found"], try optimize([], build: "true # {flags}", in: directory))
    failure(
      65, ["had not listened", "within 1.0 s"],
      try optimize(
        ["--timeout", "1s", "--until", "port:47653", "--", "hang"], in: directory))

    let first = try optimize(["-o", "out", "--no-prefetch"], in: directory)
    try #require(first.status == 0, "\(first.errors)")
    let kept = try results(in: directory.path("out"))
    #expect(kept.count == 10, "\(kept.keys.sorted())")
    failure(
      65, ["after linking in order", "signal 6", "unfinished/after/program"],
      try optimize(["-o", "out", "--", "crash"], in: directory))
    #expect(try results(in: directory.path("out")) == kept)
    failure(
      65, ["the build command"],
      try optimize(["-o", "out"], build: Self.build + " no-such-target", in: directory))
    #expect(try results(in: directory.path("out")) == kept)
  }

  /// All files of a call that was done, by their path.
  private func results(in directory: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory)
    where !path.hasPrefix("logs") && !path.hasPrefix("unfinished") {
      files[path] = try? Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(path)"))
    }
    return files
  }

  /// A build has variables of its own for each kind of link.
  @Test func flagsForOtherFilesThanTheProgramAreToldFromThoseForIt() throws {
    let directory = try project()
    let rules = """
      .PHONY: all
      all: program libother.so
      program: main.o
      \t$(CC) $(PROGRAM_LDFLAGS) -o program main.o
      libother.so: program
      \t$(CC) $(SHARED_LDFLAGS) -shared -o libother.so -x c /dev/null

      """
    try directory.write(
      rules + Self.makefile.split(separator: "\n").dropFirst(2).joined(separator: "\n") + "\n",
      to: "Makefile")
    let clean = #"make -s clean && rm -f libother.so && make -s CC=clang CFLAGS="{cflags}" "#

    let missed = try optimize([], build: clean + #"SHARED_LDFLAGS="{flags}""#, in: directory)
    #expect(missed.status == 65)
    #expect(missed.errors.contains("when it links other files, but not when it links program"))

    let both = try optimize(
      [], build: clean + #"SHARED_LDFLAGS="{flags}" PROGRAM_LDFLAGS="{flags}""#, in: directory)
    #expect(both.status == 0, "\(both.errors)")
  }
}
