import Foundation
import TestSupport
import Testing

/// `dead --changed` in real repositories, with programs that real compilers built. Which functions changed is also found
/// by `git diff -U0` and the regions of llvm-cov alone.
@Suite(.tags(.compiler), .enabled(if: ProgramTarget.isNative, "clang builds for the machine"))
struct ChangedFunctionsTests: ProjectTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let files = [
    ".gitignore": "app*\n*.flp\n",
    "main.c": """
    #include "list.h"
    int main(int count, char **words) {
      (void)words;
      if (count > 5) return never(count) + gone(1) + cut(2);
      return used(count) + twice(count) - moved(2) + other() - 26;
    }

    """,
    "list.h": """
    #define LIMIT 10
    int used(int x), never(int x), gone(int x), cut(int x), moved(int x), other(void);
    static inline int twice(int x) {
      return x * 3 / (x + 1);
    }

    """,
    "list.c": """
    #include "list.h"

    int moved(int x) {
      int y = x * 3;
      return y + 1;
    }

    int used(int x) {
      return x + 1;
    }

    /* Of no use. */
    int never(
        int x)
    {
      return x + LIMIT;
    }

    int gone(int x) { return x; }

    int cut(int x) {
      x = x + 1;
      x = x + 2;
      return x;
    }

    """,
    "other.c": "int other(void) {\n  return 30;\n}\n",
  ]

  @discardableResult
  private func build(
    _ compiler: String = "clang", _ options: [String] = ["--counters"], level: String = "-O0",
    _ files: String = "*.c"
  ) throws -> CommandResult {
    let flags = try Toolchain.words(["flags", compiler] + options).joined(separator: " ")
    try Command.check(
      ["sh", "-c", "\(compiler) -g \(level) \(flags) \(files) -o app"], in: project)
    // The recording holds what the sources were when it was made.
    return try firstlight("record", "-o", "app.flp", "--", "./app")
  }

  private func replace(_ old: String, _ new: String, in path: String) throws {
    let text = try text(path)
    try #require(text.contains(old))
    try directory.write(text.replacing(old, with: new), to: "project/\(path)")
  }

  private func git(_ words: [String]) throws {
    try Command.check(
      ["git", "-c", "user.name=C", "-c", "user.email=c@example.org"] + words, in: project)
  }

  private struct Changed: Decodable {
    struct Function: Decodable {
      var name, file, answer: String
      var isNew: Bool
    }
    var functions: [Function]
    var changedAfterRecording, notRecorded, submodules: [String]
    var linesInNoFunction: Int

    var answers: [String: String] {
      Dictionary(uniqueKeysWithValues: functions.map { ($0.name, $0.answer) })
    }
  }

  private func changed(_ revision: String, in folder: String = "") throws -> Changed {
    struct List: Decodable { var changed: Changed }
    let json = try Command.check(
      [
        Toolchain.firstlight, "dead", "\(project.path)/app.flp", "--changed", revision, "--format",
        "json",
      ], in: project.appending(path: folder))
    return try JSONDecoder().decode(List.self, from: Data(json.utf8)).changed
  }

  /// The functions of C that changed, by git's lines and llvm-cov's regions.
  private func expected(_ revision: String) throws -> Set<String> {
    let patch = try git("-c", "core.quotePath=false", "diff", "-U0", "-M", revision)
    // A removal lies between two lines, both of which have to be in the function.
    var lines: [String: [(first: Int, last: Int, isRemoval: Bool)]] = [:]
    var file = ""
    for line in patch.components(separatedBy: "\n") {
      if line.hasPrefix("+++ ") {
        file = line.replacing("\t", with: "").replacing("+++ b/", with: "")
      }
      guard let hunk = line.firstMatch(of: /^@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@/) else {
        continue
      }
      let (start, count) = (try #require(Int(hunk.1)), hunk.2.flatMap { Int($0) } ?? 1)
      lines[file, default: []].append(
        count == 0 ? (start, start + 1, true) : (start, start + count - 1, false))
    }
    struct Export: Decodable {
      struct Data: Decodable { var functions: [Function] }
      struct Function: Decodable {
        var name: String
        var filenames: [String]
        var regions: [[Int]]
      }
      var data: [Data]
    }
    let json = try Command.check(["llvm-cov", "export", "-empty-profile", "app"], in: project)
    let export = try JSONDecoder().decode(Export.self, from: Data(json.utf8))
    let root = try Command.check(["pwd", "-P"], in: project).trimmingCharacters(in: .newlines)
    return Set(
      export.data[0].functions.filter { function in
        let path = function.filenames[0].replacing(root + "/", with: "")
        let (first, last) = (function.regions[0][0], function.regions[0][2])
        return lines[path, default: []].contains {
          $0.isRemoval ? first <= $0.first && $0.last <= last : $0.first <= last && first <= $0.last
        }
      }.map { $0.name.components(separatedBy: ":").last! })
  }

  // MARK: Functions

  /// Committed, staged, unstaged and untracked changes; those of another branch do not count.
  @Test func changedFunctionsHaveTheAnswersOfTheRuns() throws {
    try commit(Self.files)
    try git("branch", "-q", "base")
    try git("checkout", "-qb", "work")
    try replace("return x + 1", "return x + 1 + 0", in: "list.c")
    try git("commit", "-qam", "committed")
    try replace("  x = x + 2;\n", "", in: "list.c")
    try git("add", "-A")
    try replace("x * 3 / (x + 1)", "3 * x / (1 + x)", in: "list.h")
    try replace("return x + LIMIT", "return LIMIT + x", in: "list.c")
    try directory.write("int fresh(void) {\n  return 1;\n}\n", to: "project/fresh.c")
    try directory.write("int elsewhere(void) { return 1; }\n", to: "project/mac.m")
    #expect(try build().status == 0)
    let other = directory.path("other")
    try git("worktree", "add", "-q", other, "base")
    try directory.write("int main(void) { return 0; }\n", to: "other/main.c")
    try git("-C", other, "commit", "-qam", "on the other branch")

    let change = try changed("base")
    #expect(
      change.answers == [
        "used": "called", "cut": "never called", "twice": "called", "never": "never called",
        "fresh": "never called",
      ])
    #expect(change.functions.filter(\.isNew).map(\.name) == ["fresh"])
    #expect(try expected("base~1").union(["fresh"]) == Set(change.answers.keys))
    #expect(change.notRecorded.map { $0.components(separatedBy: "/").last } == ["mac.m"])
    #expect(change.changedAfterRecording == [])
    #expect(Set(try changed("HEAD").answers.keys) == ["cut", "twice", "never", "fresh"])

    let text = try firstlight("dead", "app.flp", "--changed", "base", "--strict")
    #expect(text.status == 1)
    let commit = try git("rev-parse", "base~1").prefix(7)
    #expect(
      text.output.hasPrefix(
        "Changed since base (merge base \(commit)): 5 functions in 3 files\n"), "\(text.output)")
    #expect(text.output.contains(/3 +never called\n +2 +called\n/), "\(text.output)")
    #expect(text.output.contains(/fresh +fresh\.c:1 +new\n/), "\(text.output)")
    #expect(text.output.contains("1 source file without a recorded function"), "\(text.output)")
    #expect(text.errors.contains("gate exceeded: --strict: 3 functions listed"))

    let sarif = try firstlight("dead", "--changed", "base", "--format", "sarif")
    let names = sarif.output.matches(of: /"fullyQualifiedName" ?: "([a-z]+)"/).map { String($0.1) }
    #expect(Set(names) == ["never", "cut", "fresh"] && names.count == 3, "\(sarif.output)")
    for format in ["markdown", "html"] {
      let page = try firstlight("dead", "--changed", "base", "--format", format)
      #expect(page.output.contains("Changed since base (merge base \(commit)): 5 functions"))
      #expect(page.output.contains("fresh") && !page.output.contains("gone"), "\(page.output)")
    }
  }

  /// A closure's lines are its function's, and an attribute in front of one does not change it.
  @Test(arguments: ["-Onone", "-O"]) func functionsOfSwiftHaveTheirBodies(level: String) throws {
    let source = """
      struct Ware {
        var cents: Int

        func price(of count: Int) -> Int {
          let all = (0..<count).map {
            $0 * cents
          }
          return all.reduce(0, +)
        }

        func never(
          _ x: Int
        ) -> Int {
          x + 1
        }

        var title: String {
          "ware"
        }
      }

      let count = CommandLine.arguments.count
      print(Ware(cents: count).price(of: 3))
      if count > 3 {
        print(Ware(cents: 1).never(2), Ware(cents: 2).title)
      }

      """
    try commit([".gitignore": "app*\n", "main.swift": source])
    try replace("$0 * cents", "cents * $0", in: "main.swift")
    try replace("x + 1", "1 + x", in: "main.swift")
    try replace("  var title", "  @inline(never)\n  var title", in: "main.swift")
    let flags = try Toolchain.words(["flags", "swiftc", "--counters"])
    try Command.check(
      ["swiftc", "-g", level] + flags + ["main.swift", "-o", "app"], in: project)
    #expect(try firstlight("record", "-o", "app.flp", "--", "./app").status == 0)
    let change = try changed("HEAD")
    #expect(
      change.answers == [
        "app.Ware.price(of: Swift.Int) -> Swift.Int": "called",
        "app.Ware.never(Swift.Int) -> Swift.Int": "never called",
      ])
    #expect(change.linesInNoFunction == 1)

    // The attribute's line only moved top-level code.
    try replace("count > 3", "count > 4", in: "main.swift")
    try Command.check(
      ["swiftc", "-g", level] + flags + ["main.swift", "-o", "app"], in: project)
    #expect(try firstlight("record", "-o", "app.flp", "--", "./app").status == 0)
    #expect(try changed("HEAD").answers["main"] == "called")
  }

  @Test func movedAndRenamedFunctionsDidNotChange() throws {
    try commit(Self.files)
    let source = try text("list.c")
    let start = try #require(source.range(of: "int moved"))
    let end = try #require(source.range(of: "int used"))
    let moved = String(source[start.lowerBound..<end.lowerBound])
    // To the end of its file, and the whole of another under a new name.
    try replace(moved, "", in: "list.c")
    try directory.write(try text("list.c") + "\n" + moved, to: "project/list.c")
    try git("mv", "other.c", "r\u{e9}named file.c")
    try build()
    #expect(try changed("HEAD").answers == [:])
    // To another file, of which git knows nothing.
    try replace("\n" + moved, "", in: "list.c")
    try directory.write(moved, to: "project/new.c")
    try build()
    #expect(try changed("HEAD").answers == [:])
    // A copy is new.
    try directory.write(
      moved.replacing("moved", with: "copied"), to: "project/copy.c")
    try build()
    #expect(try changed("HEAD").answers == ["copied": "never called"])
    try replace("return 30", "return 31", in: "r\u{e9}named file.c")
    try build()
    #expect(Set(try changed("HEAD").answers.keys) == ["copied", "other"])
  }

  /// Lines outside of functions, deleted files, and both kinds of line ends.
  @Test func linesInNoFunctionAreCounted() throws {
    var files = Self.files
    files["dos.c"] =
      "int dos(void) {\r\n  return 1;\r\n}\r\nint end(void) {\r\n  return 2;\r\n}\r\n"
    files["dead.c"] = "int dead(void) { return 1; }\n"
    files[".gitattributes"] = "dos.c -text\n"
    try commit(files)
    try FileManager.default.removeItem(at: project.appending(path: "dead.c"))
    try replace("LIMIT 10", "LIMIT 11", in: "list.h")
    try replace("/* Of no use. */", "/* Of no use:\n   none. */", in: "list.c")
    try directory.write("enum { ONE, TWO };\n\n", to: "project/new.h")
    try replace("return 2;\r\n", "return 3;\r\n", in: "dos.c")
    try build()
    let change = try changed("HEAD")
    #expect(change.answers == ["end": "never called"])
    #expect(try expected("HEAD") == ["end"])
    // The macro, the comment's two lines, the new header's line.
    #expect(change.linesInNoFunction == 4)
    let page = try firstlight("dead", "--changed", "HEAD")
    #expect(page.output.contains("4 changed lines in no recorded function"), "\(page.output)")
  }

  /// The mapping of counters shows the branches of macros, not constants.
  @Test func functionsWithAChangedMacroAreNamed() throws {
    try commit([
      "clamp.h": """
      #define CLAMP(x) \\
        ((x) > 9 \\
          ? 9 \\
          : (x))
      #define ONE 1

      """,
      "main.c": """
      #include "clamp.h"
      int clamped(int x) { return CLAMP(x); }
      int never(int x) { return CLAMP(x) + 1; }
      int plain(int x) { return x - ONE; }
      int main(int count, char **words) {
        (void)words;
        return count > 5 ? never(count) : clamped(count) + plain(count) - 1;
      }

      """,
    ])
    try directory.write(
      try text("clamp.h").replacing("? 9", with: "? 8"), to: "project/clamp.h")
    try build()
    let page = try firstlight("dead", "app.flp", "--changed", "HEAD", "--strict")
    #expect(page.status == 0, "\(page.errors)")
    #expect(
      page.output.contains(
        "Changed macros are in 2 other functions: 1 called (clamped), 1 never called (never).\n"),
      "\(page.output)")
  }

  /// Without counters, debug information has the lines, also of functions that are copied into others.
  @Test(arguments: [["gcc", "-O0"], ["gcc", "-O2"], ["clang", "-O2"]])
  func codeOfOtherBuildsHasLines(_ build: [String]) throws {
    try commit(Self.files)
    try replace("return x + 1", "return x + 1 + 0", in: "list.c")
    try replace("  x = x + 2;\n", "  x = x + 3;\n", in: "list.c")
    try replace("x * 3 / (x + 1)", "3 * x / (1 + x)", in: "list.h")
    try self.build(build[0], [], level: build[1])
    let change = try changed("HEAD")
    #expect(Set(change.answers.keys) == ["used", "cut", "twice"])
    #expect(change.answers["cut"] != "called" && change.answers["used"] == "called")
  }

  @Test func gatesNeedRecordingsOfTheChange() throws {
    try commit(Self.files)
    try build()
    let none = try firstlight("dead", "--changed", "HEAD", "--strict")
    #expect(
      none.status == 0 && none.output.contains("): no recorded function.\n"), "\(none.output)")
    try replace("return x + LIMIT", "return LIMIT + x", in: "list.c")
    let stale = try firstlight("dead", "--changed", "HEAD", "--strict")
    #expect(stale.status == 2, "\(stale.errors)")
    #expect(stale.output.contains("1 file changed after the build or the recording"))
    #expect(try changed("HEAD").answers == [:])
    try build()
    #expect(try firstlight("dead", "--changed", "HEAD", "--strict").status == 1)
    try git("checkout", "-q", "list.c")
    try replace("return x + 1", "return x + 1 + 0", in: "list.c")
    try build()
    #expect(try firstlight("dead", "--changed", "HEAD", "--strict").status == 0)
    // Another program at its place knows other lines.
    try Command.check(["cp", "/bin/true", "app"], in: project)
    let gone = try firstlight("dead", "--changed", "HEAD")
    #expect(gone.status == 66 && gone.errors.contains("was built again"), "\(gone.errors)")
  }

  // MARK: Repositories

  @Test func whatGitDoesNotHaveIsAnError() throws {
    try commit(Self.files)
    try replace("return x + 1", "return x + 1 + 0", in: "list.c")
    try git("commit", "-qam", "second")
    try build()
    func refuse(_ revision: String, _ text: String, at folder: URL? = nil) throws {
      let result = try Command.run(
        [Toolchain.firstlight, "dead", "app.flp", "--changed", revision], in: folder ?? project)
      try expectOneLine(result, status: 64, saying: text)
    }
    try refuse("mian", "has no such revision")
    try refuse("HEAD~1..HEAD", "a range, not a revision")
    try git("checkout", "-q", "--orphan", "alone")
    try git("commit", "-qm", "alone")
    let branch = try git("for-each-ref", "--format=%(refname:short)", "refs/heads")
      .split(separator: "\n").first { $0 != "alone" }
    try refuse(String(try #require(branch)), "have no commit in common")
    // A clone without the commits between two branches.
    let shallow = directory.path("shallow")
    try Command.check([
      "git", "clone", "-q", "--depth", "1", "--no-single-branch", "file://\(project.path)", shallow,
    ])
    try Command.check(["git", "-C", shallow, "checkout", "-q", "alone"])
    let flags = try Toolchain.words(["flags", "clang", "--counters"]).joined(separator: " ")
    try Command.check(["sh", "-c", "clang -g \(flags) *.c -o app"], in: URL(filePath: shallow))
    try Command.check(
      [Toolchain.firstlight, "record", "-o", "app.flp", "--", "./app"], in: URL(filePath: shallow))
    try refuse(
      "origin/\(try #require(branch))", "git fetch --unshallow", at: URL(filePath: shallow))
    try FileManager.default.removeItem(at: project.appending(path: ".git"))
    try refuse("HEAD", "no working tree of git")
    let withoutGit = try Command.run(
      [Toolchain.firstlight, "dead", "--changed", "HEAD"], in: project,
      environment: ["PATH": "/nowhere"])
    #expect(withoutGit.status == 64 && withoutGit.errors.contains("needs git"))
  }

  /// GitHub checks a pull request out as a merge of it into the base, whose first parent is the base.
  @Test func aMergeChangesWhatItsSecondParentBrings() throws {
    try commit(Self.files)
    try git("checkout", "-qb", "request")
    try replace("return x + 1", "return x + 1 + 0", in: "list.c")
    try git("commit", "-qam", "requested")
    try git("checkout", "-q", "-")
    try replace("return 30", "return 30 + 0", in: "other.c")
    try git("commit", "-qam", "meanwhile")
    try git("merge", "-q", "--no-ff", "--no-edit", "request")
    try build()
    #expect(try changed("HEAD^1").answers == ["used": "called"])
    #expect(try changed("HEAD^2").answers == ["other": "called"])
  }

  /// A package in a folder of a repository that is a worktree; code of its neighbour is not its own.
  @Test func aPackageInAWorktreeHasItsOwnChange() throws {
    var files: [String: String] = ["package/Package.swift": "// swift-tools-version: 6.0\n"]
    for (name, text) in Self.files { files["package/\(name)"] = text }
    files["neighbour/mac.m"] = "int elsewhere(void) { return 1; }\n"
    try commit(files)
    let tree = directory.path("tr\u{e9}e with blanks")
    try git("worktree", "add", "-q", "-b", "tree", tree)
    let package = URL(filePath: tree).appending(path: "package")
    for (file, old, new) in [
      ("package/list.c", "return x + 1", "return x + 1 + 0"),
      ("neighbour/mac.m", "return 1", "return 2"),
    ] {
      let path = URL(filePath: tree).appending(path: file)
      let text = try String(contentsOf: path, encoding: .utf8)
      try text.replacing(old, with: new).write(to: path, atomically: true, encoding: .utf8)
    }
    let flags = try Toolchain.words(["flags", "clang", "--counters"]).joined(separator: " ")
    try Command.check(["sh", "-c", "clang -g \(flags) *.c -o app"], in: package)
    try Command.check(
      [Toolchain.firstlight, "record", "-o", "app.flp", "--", "./app"], in: package)
    let list = try Command.check([Toolchain.firstlight, "dead", "--changed", "HEAD"], in: package)
    #expect(list.contains(": 1 function in 1 file\n") && list.contains("1  called"), "\(list)")
    #expect(!list.contains("mac.m"), "\(list)")
  }

  /// A submodule is compared in its own repository. Names that are no UTF-8 are named, not mistaken.
  @Test func submodulesAndOddNamesAreNamed() throws {
    try commit(Self.files)
    let library = directory.path("library")
    try directory.write("int library(void) { return 1; }\n", to: "library/library.c")
    for words in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]] {
      try git(["-C", library] + words)
    }
    try git(["-c", "protocol.file.allow=always", "submodule", "-q", "add", library, "lib"])
    try git("commit", "-qm", "with a submodule")
    try Command.check(
      ["sh", "-c", #"printf 'int odd(void) {\n  return 1;\n}\n' > "$(printf 'odd\344.c')""#],
      in: project)
    try directory.write("int library(void) {\n  return 2;\n}\n", to: "project/lib/library.c")
    try git("-C", project.appending(path: "lib").path, "commit", "-qam", "two")
    try build("clang", ["--counters"], level: "-O0", "*.c lib/*.c")
    let change = try changed("HEAD")
    #expect(change.submodules.map { $0.components(separatedBy: "/").last } == ["lib"])
    #expect(change.answers == [:] && change.changedAfterRecording.count == 1)
    #expect(change.changedAfterRecording[0].hasSuffix("odd\u{fffd}.c"))
    #expect(try changed("HEAD~1", in: "lib").answers["library"] == "never called")
  }
}
