import Foundation
import TestSupport
import Testing

/// What `dead --index` says of the functions of programs that real compilers indexed.
@Suite(.tags(.compiler)) struct DeadReferenceTests {
  private static let swift = """
    protocol Priced { func price() -> Int }
    struct Ware: Priced {
      func price() -> Int { 3 }
      func hidden() -> Int { secret() }
      func secret() -> Int { 4 }
    }
    func rare() -> Int { 5 }
    func printed(_ ware: any Priced) -> Int { ware.price() }
    if CommandLine.arguments.count > 1 { print(rare(), printed(Ware())) }
    print("done")

    """
  private static let c = """
    static int kept(int x) { return x + 1; }
    int called_by_kept(int x) { return kept(x); }
    __attribute__((used)) static int used_by_name(int x) { return x; }
    int main(int count, char **v) { (void)v; return count > 5 ? kept(count) : 0; }

    """

  /// Of each kind of variable one that code uses and one that it does not. In a build with
  /// optimization, code reads a variable with a constant value without a call of its accessor.
  private static let variables = """
    let constant = 7
    let constantUnused = 8
    let made = [1].map { $0 + 1 }
    let madeUnused = [1].map { $0 + 1 }
    private let hidden = [2].map { $0 + 1 }
    let (left, right) = ([1].map { $0 }, [2].map { $0 })
    let (leftUnused, rightUnused) = ([1].map { $0 }, [2].map { $0 })
    struct Box {
      static let constantOfType = 9
      static let constantOfTypeUnused = 10
      static let madeOfType = [4].map { $0 + 1 }
      static let madeOfTypeUnused = [4].map { $0 + 1 }
      var stored = 5
      var computed: Int { get { stored } set { stored = newValue } }
      var computedUnused: Int { get { stored } set { stored = newValue } }
      var coroutine: Int { _read { yield stored } _modify { yield &stored } }
      var coroutineUnused: Int { _read { yield stored } _modify { yield &stored } }
      var observed = 1 { didSet { print(observed) } }
      lazy var slow = [stored].map { $0 + 1 }
      lazy var slowUnused = [stored].map { $0 + 1 }
      subscript(place: Int) -> Int { _read { yield stored } }
      subscript(unused place: Int) -> Int { stored + place }
    }
    @inline(never) func sum(_ count: Int) -> Int {
      guard count > 100 else { return constant + Box.constantOfType }
      var box = Box()
      box.computed += 1
      box.coroutine += 1
      box.observed = 2
      return made[0] + hidden[0] + left[0] + right[0] + Box.madeOfType[0] + box.slow[0] + box[3]
    }

    """

  /// A tree of three, and one that live code refers to.
  private static let trees = """
    func leaf() -> Int { 1 }
    /// Documented.
    func middle() -> Int {
      leaf() + 1
    }
    func root() -> Int { middle() * middle() * middle() }
    func live() -> Int { 2 }
    if CommandLine.arguments.count > 5 { print(live()) }

    """

  private struct Document: Decodable {
    struct Function: Decodable {
      struct References: Decodable {
        var verdict: String
        var isDeletable: Bool
        var line: Int?
        var by: String?
        var functions: Int?
      }
      var shortName: String
      var references: References?
    }
    var functions: [Function]

    subscript(name: String) -> Function.References? {
      functions.first { $0.shortName == name }?.references
    }
  }

  private func dead(_ program: Fixture, _ arguments: String...) throws -> CommandResult {
    try Command.run([Toolchain.firstlight, "dead"] + arguments, in: program.directory.url)
  }

  private func document(_ program: Fixture) throws -> Document {
    let result = try dead(
      program, try program.record(), "--index", "auto", "--format", "json")
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
  }

  @Test func swiftFunctionsHaveTheirReferences() throws {
    let program = try Fixture.swift(
      Self.swift, options: ["-Onone", "-index-store-path", "index-store"])
    let document = try document(program)
    #expect(document["Ware.hidden()"]?.verdict == "unreferenced")
    #expect(document["Ware.hidden()"]?.functions == 2)
    #expect(document["Ware.secret()"]?.verdict == "falls with")
    #expect(document["Ware.secret()"]?.by == "Ware.hidden()")
    #expect(document["Ware.price()"]?.verdict == "implements")
    #expect(document["Ware.price()"]?.by == "Priced.price()")
    #expect(document["rare()"]?.verdict == "live code")
    #expect(document["rare()"]?.line == 9)
    #expect(document["rare()"]?.isDeletable == false)
  }

  /// Exactly those that no code names can be deleted, whatever ran.
  @Test(arguments: [["-Onone"], ["-O"]])
  func accessorsHaveTheReferencesOfTheirVariable(options: [String]) throws {
    let program = try Fixture.swift(
      files: [
        "main.swift": "print(sum(CommandLine.arguments.count))\n", "lib.swift": Self.variables,
      ],
      options: options + ["-index-store-path", "index-store"])
    let rows = try document(program).functions.filter { $0.references != nil }
    let deletable = rows.filter { $0.references?.isDeletable == true }.map(\.shortName)
    let unknown = rows.filter { $0.references?.verdict == "unknown" }
    #expect(deletable.allSatisfy { $0.lowercased().contains("unused") }, "\(deletable)")
    #expect(unknown.allSatisfy { $0.references?.by == "initializes several variables" })
    if options == ["-Onone"] {
      let unused = rows.filter { $0.shortName.lowercased().contains("unused") }.map(\.shortName)
      // Code reads constants without a call, so no run shows whether they are in use.
      #expect(!rows.contains { $0.shortName.contains("constant") })
      // A lazy variable is part of its type's layout.
      #expect(
        Set(unused).subtracting(deletable) == ["(leftUnused, rightUnused)", "Box.slowUnused"])
      #expect(rows.contains { $0.shortName == "Box.coroutine" })
      #expect(rows.contains { $0.shortName == "made" })
    }
  }

  @Test func functionsOfCHaveTheirReferences() throws {
    let program = try Fixture.c(Self.c, options: ["-O0"], isOwn: true)
    try Command.check(
      ["clang", "-c", "main.c", "-index-store-path", "index-store", "-o", "main.o"],
      in: program.directory.url)
    let document = try document(program)
    #expect(document["called_by_kept"]?.verdict == "unreferenced")
    #expect(document["kept"]?.verdict == "live code")
    #expect(document["used_by_name"]?.verdict == "reached by name")
  }

  @Test func exportedFunctionsAreReachedByName() throws {
    let program = try Fixture.c(
      "int shown(int x) { return x; }\nint main(void) { return 0; }\n", options: ["-O0"],
      link: ["-rdynamic"], isOwn: true)
    try Command.check(
      ["clang", "-c", "main.c", "-index-store-path", "index-store", "-o", "main.o"],
      in: program.directory.url)
    let shown = try document(program)["shown"]
    #expect(shown?.verdict == "reached by name")
    #expect(shown?.by == "exported")
  }

  @Test func sourceThatChangedSinceIsRefused() throws {
    let program = try Fixture.swift(
      Self.swift, options: ["-Onone", "-index-store-path", "index-store"])
    let profile = try program.record()
    try Command.check(["touch", "-d", "1 hour", "main.swift"], in: program.directory.url)
    let result = try dead(program, profile, "--index", "auto")
    #expect(result.status == 65)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("changed after"))
  }

  @Test func anAbsentIndexIsReported() throws {
    let program = try Fixture.c(Self.c, options: ["-O0"], isOwn: true)
    let result = try dead(program, try program.record(), "--index", "auto")
    #expect(result.status == 66)
    #expect(result.errors.contains("-index-store-path"))
    #expect(result.output.isEmpty)
  }

  // MARK: Lists

  private func trees() throws -> (program: Fixture, profile: String) {
    let program = try Fixture.swift(
      Self.trees, options: ["-Onone", "-index-store-path", "index-store"])
    return (program, try program.record())
  }

  @Test func listsLeadWithTreesOfWhatCanBeDeleted() throws {
    let (program, profile) = try trees()
    let text = try dead(program, profile, "--index", "auto").output
    let lines = text.split(separator: "\n").map { $0.split(separator: "  ").map(String.init) }
    let start = try #require(lines.firstIndex { $0[0].hasPrefix("Can be deleted: 3 functions") })
    #expect(lines[start][0].hasSuffix(", 6 lines"))
    let rows = lines[(start + 1)...].prefix(3).map { $0.map { $0.trimmingPrefix(" ") } }
    #expect(rows.map { $0[2] } == ["root()", "middle()", "leaf()"])
    #expect(rows.map { $0[1] } == ["1 line", "4 lines", "1 line"])
    #expect(rows[0].last?.hasPrefix("unreferenced, with 2 other functions: ") == true)
    #expect(lines[start + 4][0].hasPrefix("Referenced by code that may run: 1 function"))
    #expect(text.contains(", 6 lines can be deleted."))
  }

  @Test func whatCanBeDeletedIsListedAlone() throws {
    let (program, profile) = try trees()
    let result = try dead(program, profile, "--deletable", "--format", "github-actions")
    #expect(result.status == 0)
    #expect(result.output.split(separator: "\n").count == 3)
    #expect(!result.output.contains("live()"))
    #expect(
      result.output.contains("leaf() was never called in 1 recorded run; only with root()\n"))
  }

  @Test func anEmptyListOfWhatCanBeDeletedSaysWhy() throws {
    let program = try Fixture.swift(
      """
      func live() -> Int { 2 }
      func alive() -> Int { live() }
      if CommandLine.arguments.count > 5 { print(live(), alive()) }

      """, options: ["-Onone", "-index-store-path", "index-store"])
    let profile = try program.record()
    let reason =
      "nothing can be deleted of 2 never-called functions; 2: referenced by code that may run; "
    let rows = try dead(program, profile, "--deletable", "--format", "github-actions")
    #expect(rows.status == 0 && rows.output.isEmpty, "\(rows.output)")
    #expect(rows.errors.contains(reason))
    // Beside the list, for readers who keep no errors.
    for format in ["text", "markdown"] {
      let list = try dead(program, profile, "--deletable", "--format", format)
      #expect(list.output.contains(reason) && !list.errors.contains(reason), "\(list.output)")
    }
  }

  @Test func theGateCountsWhatCanBeDeleted() throws {
    let (program, profile) = try trees()
    #expect(try dead(program, profile, "--max-deletable", "3").status == 0)
    let exceeded = try dead(program, profile, "--max-deletable", "2")
    #expect(exceeded.status == 1)
    #expect(exceeded.errors.contains("--max-deletable 2: 3 functions can be deleted"))
  }

  @Test func everyFormatHasTheReferences() throws {
    let (program, profile) = try trees()
    for format in ["sarif", "github-actions", "markdown"] {
      let text = try dead(program, profile, "--index", "auto", "--format", format).output
      #expect(text.contains("only with root()"), "\(format)")
    }
    let json = try dead(program, profile, "--index", "auto", "--format", "json").output
    let document = try JSONDecoder().decode(DeadDocument.self, from: Data(json.utf8))
    let middle = try #require(document.functions.first { $0.name.contains("middle()") }?.references)
    #expect(middle.verdict == "falls with" && middle.by == "root()")
    #expect(middle.isDeletable && middle.lines == 4)
  }

  @Test func whyShowsTheChain() throws {
    let (program, profile) = try trees()
    func why(_ name: String) throws -> String {
      try Command.check([Toolchain.firstlight, "why", name, profile], in: program.directory.url)
    }
    let leaf = try why("leaf()").split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
    let start = try #require(leaf.firstIndex { $0 == "References" })
    let chain = leaf[(start + 1)...].prefix(3).map { $0.prefix { $0 != "(" } }
    #expect(chain == ["leaf", "middle", "root"])
    #expect(leaf[start + 3].contains("unreferenced, with 2 other functions"))
    #expect(try why("live()").contains("referenced by main.swift:8"))
    try Command.check(["touch", "-d", "1 hour", "main.swift"], in: program.directory.url)
    #expect(try why("leaf()").contains("references  unknown: "))
  }

  @Test func thePageShowsTreesAndFiltersByReferences() throws {
    let (program, profile) = try trees()
    try Command.check(
      [Toolchain.firstlight, "dead", profile, "--index", "auto", "-o", "page.html"],
      in: program.directory.url)
    let ask = """
      <script>
      {
      const group = document.getElementById("group");
      const names = () => [...document.querySelectorAll("#list tbody tr")].map(
        row => row.children[1].textContent.replace(/^[^.]*[.]/, "").replace(/[(].*/, ""));
      const indents = [...document.querySelectorAll("#list tbody tr")].slice(0, 3).map(
        row => row.children[1].style.paddingLeft);
      const answers = [names().slice(0, 3).join(), indents.join(), [...group.options].map(option => option.textContent).join("|")];
      group.selectedIndex = 2;
      group.dispatchEvent(new Event("change"));
      answers.push(names().join());
      document.body.innerHTML = "<pre id=answers>" + answers.join(";") + "</pre>";
      }
      </script></body>
      """
    let page = try String(contentsOfFile: program.directory.path("page.html"), encoding: .utf8)
    let probe = try program.directory.write(
      page.replacing("</body>", with: ask, maxReplacements: 1), to: "probe.html")
    let dump = try Command.check([
      "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--user-data-dir=\(program.directory.path("browser"))", "--dump-dom", "file://\(probe)",
    ])
    #expect(
      dump.contains(
        "root,middle,leaf;0em,1.2em,2.4em;any|Can be deleted|Referenced by code that may run;live"),
      "\(dump.suffix(500))")
  }

  // MARK: Without an index

  /// The assembler resolves what refers to a function of its own section, and a macro hides the name.
  @Test(arguments: [true, false]) func referencesOfOneSectionAreUnknown(isDivided: Bool) throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      #include <stdio.h>
      static void op_add(int a) { printf("%d\\n", a); }
      static void op_sub(int a) { printf("%d\\n", -a); }
      static void unused(int a) { printf("%d\\n", 2 * a); }
      void api(int a) { unused(a); }
      void apply(void (*f)(int), int a) { if (a > 5) f(a); }
      #define OP(op) op_##op
      int main(int count, char **words) { (void)words;
        if (count > 5) OP(add)(count);
        apply(OP(sub), count); return 0; }

      """, to: "a.c")
    try Command.check(
      ["gcc", "-g", "-O0", "-Wl,--emit-relocs", "a.c", "-o", "a"]
        + (isDivided ? ["-ffunction-sections"] : []), in: directory.url)
    try Command.check(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", "a.flp", "./a"], in: directory.url)
    let result = try Command.check(
      [Toolchain.firstlight, "dead", "a.flp", "--index", "auto", "--format", "json"],
      in: directory.url)
    let document = try JSONDecoder().decode(Document.self, from: Data(result.utf8))
    for name in ["op_add", "op_sub"] {
      #expect(document[name]?.verdict == (isDivided ? "live code" : "unknown"), "\(name)")
    }
    #expect(document["api"]?.verdict == "unreferenced")
    #expect(document["unused"]?.by == "api")
  }

  @Test func relocationsStandInForAnIndex() throws {
    let directory = try TemporaryDirectory()
    let source = """
      typedef int (*action)(int);
      static int leaf(int x) { return x + 1; }
      int root(int x) {
        return leaf(x) * 2;
      }
      int in_table(int x) { return x; }
      action table[] = { in_table };
      int live(int x) { return x; }
      int main(int count, char **words) { (void)words;
        return count > 5 ? live(count) + table[count](count) : 0; }

      """
    _ = try directory.write(source, to: "a.c")
    try Command.check(
      ["gcc", "-g", "-O0", "-Wl,--emit-relocs", "a.c", "-o", "a"], in: directory.url)
    try Command.check(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", "a.flp", "./a"], in: directory.url)
    let result = try Command.run(
      [Toolchain.firstlight, "dead", "a.flp", "--index", "auto", "--format", "json"],
      in: directory.url)
    #expect(result.status == 0, "\(result.errors)")
    let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
    #expect(document["root"]?.verdict == "unreferenced")
    #expect(document["root"]?.functions == 2)
    #expect(document["leaf"]?.by == "root")
    #expect(document["live"]?.verdict == "live code")
    #expect(document["live"]?.by == "main")
    #expect(document["in_table"]?.verdict == "live code")
    // As git leaves a file that it restored.
    try Command.check(["touch", "-d", "1 hour", "a.c"], in: directory.url)
    let restored = try Command.run(
      [Toolchain.firstlight, "dead", "a.flp", "--index", "auto"], in: directory.url)
    #expect(restored.status == 0, "\(restored.errors)")
    try directory.write(source + "// changed\n", to: "a.c")
    try Command.check(["touch", "-d", "1 hour", "a.c"], in: directory.url)
    let stale = try Command.run(
      [Toolchain.firstlight, "dead", "a.flp", "--index", "auto"], in: directory.url)
    #expect(stale.status == 65)
  }
}
