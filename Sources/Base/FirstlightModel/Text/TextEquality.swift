import Glibc

// The operators of the standard library compare texts by canonical equality: `é` equals `e` with an accent, and `;` the
// Greek question mark. To file systems, linkers and compilers those are different names. The declarations below hide
// those of the standard library in each module that imports this one, also in the `==` that the compiler makes for a
// type with texts. `Scripts/lint` asks the object files whether a use of the others is left.

/// In generic code, `==` is that of the protocol, so the declarations below call this.
private func areSame(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
  one.withUTF8Bytes { one in
    other.withUTF8Bytes { other in
      one.count == other.count
        && (one.isEmpty || memcmp(one.baseAddress!, other.baseAddress!, one.count) == 0)
    }
  }
}

extension StringProtocol {
  /// Whether both are the same bytes, by their UTF-8.
  package static func == (one: Self, other: some StringProtocol) -> Bool { areSame(one, other) }
  package static func != (one: Self, other: some StringProtocol) -> Bool { !areSame(one, other) }

  /// A text as a pattern of `switch`.
  package static func ~= (pattern: Self, text: Self) -> Bool { areSame(pattern, text) }
}

// Of the standard library's operators, those of these types would be preferred.
extension Substring {
  package static func == (one: Substring, other: Substring) -> Bool { areSame(one, other) }
  package static func != (one: Substring, other: Substring) -> Bool { !areSame(one, other) }
}

extension String {
  package static func == (one: String, other: String) -> Bool { areSame(one, other) }
  package static func != (one: String, other: String) -> Bool { !areSame(one, other) }
  package static func ~= (pattern: String, text: Substring) -> Bool { areSame(pattern, text) }
}

extension Optional where Wrapped: StringProtocol {
  package static func == (one: Wrapped?, other: Wrapped?) -> Bool {
    switch (one, other) {
    case (let one?, let other?): areSame(one, other)
    case (nil, nil): true
    default: false
    }
  }

  package static func != (one: Wrapped?, other: Wrapped?) -> Bool { !(one == other) }

  // Without these, the standard library's operator is preferred for an optional text and another one.
  package static func == (one: Wrapped?, other: Wrapped) -> Bool {
    one.map { areSame($0, other) } ?? false
  }

  package static func != (one: Wrapped?, other: Wrapped) -> Bool { !(one == other) }
  package static func == (one: Wrapped, other: Wrapped?) -> Bool { other == one }
  package static func != (one: Wrapped, other: Wrapped?) -> Bool { !(other == one) }
  package static func ~= (pattern: Wrapped, text: Wrapped?) -> Bool { text == pattern }
}

extension Array where Element: StringProtocol {
  package static func == (one: [Element], other: [Element]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { areSame($0, $1) }
  }

  package static func != (one: [Element], other: [Element]) -> Bool { !(one == other) }
}

extension Sequence where Element: StringProtocol {
  /// Whether one of the texts has these bytes.
  package func contains(_ text: Element) -> Bool { contains { areSame($0, text) } }
}

extension Collection where Element: StringProtocol {
  package func firstIndex(of text: Element) -> Index? { firstIndex { areSame($0, text) } }
}

extension BidirectionalCollection where Element: StringProtocol {
  package func lastIndex(of text: Element) -> Index? { lastIndex { areSame($0, text) } }
}
