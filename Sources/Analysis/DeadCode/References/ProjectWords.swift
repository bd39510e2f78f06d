import FirstlightModel

/// The places where functions' names stand as words in a project's files.
///
/// A plain scan: macros, names that they paste, strings, every branch of a preprocessor, assembly and scripts count.
/// Comments of C and Swift do not count. Of Swift, only `#if` branches, strings and uncompiled files count, since the
/// index has the rest.
package struct ProjectWords: Sendable {
  package struct Place: Hashable, Sendable {
    package var file: String
    /// From 1.
    package var line: Int
    /// Whether it declares or defines a C function of that name.
    var isDeclaration = false
    /// Whether it is a declaration without a body.
    var isPrototype = false
    /// Whether it is in a string of compiled Swift, which means other functions by their linker names.
    var isSwiftText = false
  }

  private enum Language { case c, swift, other }

  private static let c: Set<Substring> = [
    "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "inc", "inl", "ipp", "tcc", "def", "tbl", "m",
    "mm", "y", "l", "yy", "ll", "rl", "rs", "go", "zig", "d", "cu", "cuh", "cl", "ino", "xs",
  ]
  /// Assembly, linkers, builds, scripts, and languages and descriptions that name C functions. Not documents and data:
  /// reports and baselines name every function.
  private static let others: Set<Substring> = [
    "s", "S", "sx", "asm", "ld", "lds", "x", "sym", "syms", "exp", "exports", "ver", "vers", "mk",
    "mak", "make", "am", "ac", "m4", "in", "cmake", "build", "gn", "gni", "bzl", "bazel", "ninja",
    "pro", "pri", "qbs", "gradle", "spec", "nix", "sh", "bash", "zsh", "fish", "ksh", "csh",
    "bat", "cmd", "ps1", "py", "pyx", "pxd", "pxi", "pl", "pm", "rb", "awk", "tcl", "lua", "php",
    "js", "mjs", "cjs", "ts", "java", "kt", "kts", "scala", "groovy", "cs", "fs", "vb", "r", "R",
    "jl", "hs", "ml", "el", "scm", "lisp", "clj", "erl", "ex", "exs", "nim", "pas", "f", "f90",
    "f95", "for", "adb", "ads", "vala", "vapi", "dart", "sv", "sql", "ui", "glade", "gdb", "yml",
    "yaml", "toml", "ini", "cfg", "conf", "service", "j2", "tmpl", "tpl", "template", "erb",
  ]
  private static let named: Set<String> = [
    "makefile", "gnumakefile", "cmakelists", "sconstruct", "sconscript", "wscript", "configure",
    "dockerfile", "containerfile", "jenkinsfile", "rakefile", "justfile", "build", "buck",
    "workspace",
  ]

  /// The language of a file; nil if it is no source, assembly, or script of a linker or build.
  private static func language(of file: String) -> Language? {
    let name = BaseName.of(file)
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return .other }
    let ending = name[name.utf8.index(after: dot)...]
    if ending == "swift" { return name.begins(with: "Package") ? nil : .swift }
    if c.contains(ending) { return .c }
    return others.contains(ending) || isNamed(name) ? .other : nil
  }

  /// Whether a file has the name of a build's script: `Makefile`, `Makefile.extra`.
  private static func isNamed(_ name: String) -> Bool {
    named.contains(name.prefix(upToAny: ".").lowercased())
  }

  /// Whether a project's file can name functions.
  ///
  /// - Parameter isScript: whether a file without an ending begins with `#!`.
  package static func isRead(_ name: String, isScript: () -> Bool) -> Bool {
    name.utf8.contains(UInt8(ascii: ".")) ? language(of: name) != nil : isNamed(name) || isScript()
  }

  /// Whether a text can be a name in source.
  static func isWord(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isPart) && text.utf8.first.map(isDigit) == false
  }

  private var places: [TextBytes: [Place]] = [:]
  private let wanted: [UInt64: String]
  private var pasted = PastedNames()

  package init(_ wanted: Set<String> = []) {
    var table: [UInt64: String] = [:]
    for word in wanted where Self.isWord(word) {
      table[FNV1a.hash(of: word.utf8)] = word
    }
    self.wanted = table
  }

  var isEmpty: Bool { places.isEmpty }

  /// All places of a word, except those in comments.
  func all(_ word: String) -> [Place] { places[word] ?? [] }

  func has(_ word: Substring) -> Bool { places[String(word)] != nil }

  /// Whether a word stands on some lines of a file.
  func stands(_ word: String, in file: String, _ lines: ClosedRange<Int>) -> Bool {
    all(word).contains { $0.file == file && lines.contains($0.line) }
  }

  /// - Parameter isCompiled: whether an index has the file's code outside of branches.
  package mutating func add(_ text: String, of file: String, isCompiled: Bool) {
    guard let language = Self.language(of: file) else { return }
    var text = text
    if language == .c, let joined = JoinedLines(text) {
      joined.bytes.withUnsafeBufferPointer {
        add($0, of: file, language, isCompiled: isCompiled, joints: joined.joints)
      }
    } else {
      text.withUTF8 { add($0, of: file, language, isCompiled: isCompiled) }
    }
    pasted.endFile()
  }

  /// Adds the names that macros of all files can paste.
  package mutating func addPasted() {
    guard !pasted.isEmpty else { return }
    for word in wanted.values {
      if let place = pasted.place(of: word) { places[word, default: []].append(place) }
    }
  }

  /// - Parameter joints: places where a line was continued.
  private mutating func add(
    _ text: UnsafeBufferPointer<UInt8>, of file: String, _ language: Language, isCompiled: Bool,
    joints: [Int] = []
  ) {
    var (place, line, start, isText, isLongText) = (0, 1, 0, false, false)
    var pending = joints[...]
    func number(_ place: Int) -> Int {
      while let joint = pending.first, joint <= place { pending.removeFirst() }
      return line + joints.count - pending.count
    }
    var depth = max(0, Self.opening(text[...]))
    while place < text.count {
      let byte = text[place]
      if Self.isPart(byte) {
        let first = place
        var hash = FNV1a.basis
        while place < text.count, Self.isPart(text[place]) {
          hash = FNV1a.hash(hash, text[place])
          place += 1
        }
        if language != .swift { pasted.add(first..<place, hash, in: text, lineStart: start) }
        let isKnown = language == .swift && isCompiled && depth == 0
        guard !isKnown || isText || isLongText, !Self.isDigit(byte) else { continue }
        // The letter of an escape, as in "\nname", is no part of a name.
        if language == .other, first > 0, text[first - 1] == UInt8(ascii: "\\") {
          let rest = text[(first + 1)..<place]
          if let word = wanted[FNV1a.hash(of: rest)], word.utf8.elementsEqual(rest) {
            places[word, default: []].append(Place(file: file, line: number(first)))
          }
        }
        guard let word = wanted[hash], word.utf8.elementsEqual(text[first..<place]) else {
          continue
        }
        let end = text[place...].firstIndex(of: Self.newline) ?? text.count
        let isDeclaration =
          language == .c && Self.declares(text[start..<first], text[place..<end])
        places[word, default: []].append(
          Place(
            file: file, line: number(first), isDeclaration: isDeclaration,
            isPrototype: isDeclaration && Self.hasNoBody(text[place...]), isSwiftText: isKnown))
        continue
      }
      place += 1
      let next = place < text.count ? text[place] : 0
      switch byte {
      case Self.newline:
        (line, start, isText) = (line + 1, place, false)
        if language == .swift { depth = max(0, depth + Self.opening(text[place...])) }
      case UInt8(ascii: "\\") where isText && next != Self.newline: place += 1
      case UInt8(ascii: "#") where language == .c && !isText && next == byte:
        pasted.addOperator(
          at: place - 1, in: text, lineStart: start, Place(file: file, line: number(place)))
        place += 1
      case UInt8(ascii: "\"")
      where language == .swift && text[place...].starts(with: [byte, byte]):
        isLongText.toggle()
        place += 2
      case UInt8(ascii: "\"") where language != .other: isText.toggle()
      case UInt8(ascii: "'") where language == .c && next == UInt8(ascii: "\"") && !isText:
        place += 1
      case UInt8(ascii: "/")
      where language != .other && !isText && !isLongText && next == UInt8(ascii: "/"):
        place = text[place...].firstIndex(of: Self.newline) ?? text.count
      case UInt8(ascii: "/")
      where language != .other && !isText && !isLongText && next == UInt8(ascii: "*"):
        place += 1
        let content = place
        while place < text.count,
          !(text[place] == UInt8(ascii: "/") && place > content
            && text[place - 1] == UInt8(ascii: "*"))
        {
          if text[place] == Self.newline { (line, start) = (line + 1, place + 1) }
          place += 1
        }
        place = min(place + 1, text.count)
      default: break
      }
    }
  }

  private static let newline = UInt8(ascii: "\n")

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func isPart(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
      || byte >= 0x80
  }

  /// 1 if a line begins a branch, -1 if it ends one.
  private static func opening(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let line = text.drop { $0 == 32 || $0 == 9 }
    if line.starts(with: "#if".utf8) { return 1 }
    return line.starts(with: "#endif".utf8) ? -1 : 0
  }

  private static let statements: Set<String> = [
    "return", "else", "case", "do", "goto", "sizeof", "typeof", "throw", "delete", "new", "in",
    "await", "match", "move", "and", "or", "not", "co_await", "co_return", "co_yield",
  ]

  /// Whether a declaration ends before a body begins.
  private static func hasNoBody(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    text.first { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "{") } == UInt8(ascii: ";")
  }

  /// Whether a name is declared or defined: parentheses follow, and only words of a type precede it, or nothing at
  /// the beginning of a line.
  private static func declares(
    _ before: Slice<UnsafeBufferPointer<UInt8>>, _ after: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Bool {
    guard after.first(where: { $0 != 32 }) == UInt8(ascii: "(") else { return false }
    guard let last = before.last else { return true }
    guard " \t*&".utf8.contains(last),
      before.allSatisfy({ isPart($0) || " \t*&".utf8.contains($0) })
    else { return false }
    let words = before.split { !isPart($0) }.map { String(decoding: $0, as: UTF8.self) }
    return !words.isEmpty && !words.contains(where: statements.contains)
  }
}
