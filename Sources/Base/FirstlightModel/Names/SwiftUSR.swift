/// The name of a Swift function in an index (USR), from its linker name.
///
/// A USR is `s:` and the mangled name without its first two letters. Mangled names begin with the
/// outermost context, so the name of a closure, a default argument or a specialization begins with
/// the name of its function (docs/ABI/Mangling.rst of the Swift project).
package struct SwiftUSR: Sendable {
  /// `s:` and the mangled name without LLVM's and thunks' suffixes.
  package let bytes: [UInt8]

  /// Nil if the name is not a Swift name.
  package init?(_ name: String) {
    var text = Array(name.utf8)
    if text.starts(with: "_$s".utf8) { text.removeFirst() }
    guard text.count > 2, text[0] == UInt8(ascii: "$"),
      text[1] == UInt8(ascii: "s") || text[1] == UInt8(ascii: "S") || text[1] == UInt8(ascii: "e")
    else { return nil }
    // Removes the suffix of a coroutine or a cold part.
    if let dot = text.firstIndex(of: UInt8(ascii: ".")) { text.removeSubrange(dot...) }
    text.replaceSubrange(0..<2, with: "s:".utf8)
    while let shorter = Self.withoutThunk(text) { text = shorter }
    bytes = text
  }

  /// Whether the name belongs to no source function, whatever its beginning: a thunk between types,
  /// a witness, metadata.
  package var isHelper: Bool {
    let endings = [
      "TR", "TRTA", "TW", "TWTm", "WOh", "WOe", "WOc", "WOs", "WOb", "WOd", "WOf", "WOr", "WOy",
      "Wl", "WL", "Mr", "Mi", "Ma", "Mn", "Mp", "Mf", "MR", "wCP", "wxx", "wcp", "wca", "wta",
      "wet",
      "wst", "wug", "wup", "wui", "WV",
    ]
    return endings.contains { bytes.reversed().starts(with: $0.utf8.reversed()) }
  }

  /// Where names of functions and variables may end in it, the longest first; without its own end.
  package var endsOfEntities: some Sequence<Int> {
    bytes.indices.dropFirst(5).reversed().lazy.filter { Self.endsEntity(bytes[$0 - 1]) }
  }

  /// Last letters of the names of functions and variables.
  private static func endsEntity(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "F"), UInt8(ascii: "Z"), UInt8(ascii: "C"), UInt8(ascii: "D"),
      UInt8(ascii: "c"), UInt8(ascii: "d"), UInt8(ascii: "g"), UInt8(ascii: "s"),
      UInt8(ascii: "p"), UInt8(ascii: "M"), UInt8(ascii: "m"), UInt8(ascii: "r"),
      UInt8(ascii: "w"), UInt8(ascii: "W"), UInt8(ascii: "u"), UInt8(ascii: "a"),
      UInt8(ascii: "i"), UInt8(ascii: "x"), UInt8(ascii: "y"):
      true
    default: false
    }
  }

  /// The index symbol for an accessor is its variable or subscript; for an allocating initializer,
  /// the other one; for each deinitializer, the written one.
  package static func counterpart(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    var name = Array(name)
    // Here `Z` marks an isolated deinitializer; elsewhere it means static.
    if name.suffix(2).elementsEqual("fZ".utf8) { return name.dropLast() + "d".utf8 }
    let isStatic = name.last == UInt8(ascii: "Z")
    if isStatic { name.removeLast() }
    guard name.count > 4, let last = name.last else { return nil }
    let before = name[name.count - 2]
    if before == UInt8(ascii: "f"), !isStatic {
      switch last {
      case UInt8(ascii: "C"): name[name.count - 1] = UInt8(ascii: "c")
      case UInt8(ascii: "D"): name[name.count - 1] = UInt8(ascii: "d")
      default: return nil
      }
      return name
    }
    // Addressors have two letters: `vau`, `vlu`.
    if last == UInt8(ascii: "u"), name.count > 5, "aloGp".utf8.contains(before),
      isVariable(name[name.count - 3])
    {
      name.removeLast(2)
    } else if isVariable(before), "gsmMrRwWxyqQkKiz".utf8.contains(last) {
      name.removeLast()
    } else {
      return nil
    }
    name.append(UInt8(ascii: "p"))
    if isStatic { name.append(UInt8(ascii: "Z")) }
    return name
  }

  /// Whether a letter begins an accessor of a variable or subscript.
  private static func isVariable(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "v") || byte == UInt8(ascii: "i")
  }

  /// The name without the mark of a thunk, a merged body or a part of an async function: `Tm`, `TY0_`.
  private static func withoutThunk(_ name: [UInt8]) -> [UInt8]? {
    guard name.count > 6, let last = name.last else { return nil }
    if last == UInt8(ascii: "_") {
      var place = name.count - 2
      while place > 2, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(name[place]) { place -= 1 }
      let isPart = name[place] == UInt8(ascii: "Q") || name[place] == UInt8(ascii: "Y")
      return isPart && name[place - 1] == UInt8(ascii: "T") ? Array(name[..<(place - 1)]) : nil
    }
    if name[name.count - 2] == UInt8(ascii: "T"), "mujqAoODcEFIxXVd".utf8.contains(last) {
      return name.dropLast(2)
    }
    if name[name.count - 3] == UInt8(ascii: "T"), name[name.count - 2] == UInt8(ascii: "w"),
      "bBcCdDSd".utf8.contains(last)
    {
      return name.dropLast(3)
    }
    return nil
  }

  /// Whether the rest after a function's name is a local function: `5innerL_yyF`.
  package func isLocal(from end: Int) -> Bool {
    var place = end
    while place + 1 < bytes.count {
      if bytes[place] == UInt8(ascii: "L"), place > end {
        var next = place + 1
        while next < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[next]) {
          next += 1
        }
        if next < bytes.count, bytes[next] == UInt8(ascii: "_") { return true }
      }
      place += 1
    }
    return false
  }
}
