import FirstlightModel

/// Functions of one name in one file: overloads of a template, one function compiled with several macros, functions of
/// programs whose paths are relative. The order of their lines distinguishes them, even if code moved between builds.
struct Namesakes {
  /// The source file of a function in a build.
  struct Place: Hashable {
    /// The number of the mapped path.
    var file: Int32
    /// The first build whose lines of the file can be compared with this build's; nil for a function in no build.
    var build: Int32?
  }

  private struct Key: Hashable {
    @TextBytes var name: String
    var place: Place
  }

  private let profile: Profile
  private let map: (String) -> String
  private var numbers: [TextBytes: Int32] = [:]
  /// By build and recorded path.
  private var places: [[TextBytes: Place]]
  /// The line of a function; of several, the first one found.
  private var lines: [Key: Int] = [:]
  /// The sorted lines of functions that have several.
  private var allLines: [Key: [Int]] = [:]

  init(_ profile: Profile, _ counted: CountedPlaces, map: @escaping (String) -> String) {
    self.profile = profile
    self.map = map
    places = Array(repeating: [:], count: profile.builds.count)
    for (number, recorded) in profile.builds.enumerated() {
      // Optimizers may have left only copies of a function.
      for function in recorded.build.functions where function.line > 0 && !function.isCounted {
        if let key = key(function, number) { add(function.line, key) }
      }
    }
    addCounters(counted)
  }

  /// Adds the lines of functions that no debug information places.
  private mutating func addCounters(_ counted: CountedPlaces) {
    let known = lines
    for (number, recorded) in profile.builds.enumerated() {
      for function in recorded.build.functions where function.isCounted {
        let placed = counted.placed(function, of: number)
        guard placed.line > 0, let key = key(placed, number), known[key] == nil
        else { continue }
        add(placed.line, key)
      }
    }
  }

  /// Nil for Swift's functions, whose names say all, and for pieces that may have lines of their own.
  private mutating func key(_ function: Function, _ build: Int) -> Key? {
    guard !function.name.isSwiftSymbol, !function.name.begins(with: "_ZZ"),
      let file = function.file
    else { return nil }
    let identity = function.identity
    switch identity.piece {
    case nil, .copy, .specialisation:
      return Key(name: identity.key, place: place(of: file, in: build))
    default: return nil
    }
  }

  private mutating func add(_ line: Int, _ key: Key) {
    guard let first = lines[key] else {
      lines[key] = line
      return
    }
    guard first != line, allLines[key]?.contains(line) != true else { return }
    var all = allLines[key] ?? [first]
    all.insert(line, at: all.partitioningIndex { $0 > line })
    allLines[key] = all
  }

  /// A function's file, and its place among its namesakes in the file.
  ///
  /// - Parameter name: the key of its identity.
  mutating func place(
    of name: String, file: String, line: Int, in build: Int?
  ) -> (file: Int32, overload: Int) {
    let key = Key(name: name, place: place(of: file, in: build))
    // A counter's line is that of the body, at or below the declaration.
    let overload = allLines[key].map { lines in
      max(0, lines.partitioningIndex { $0 > line } - 1)
    }
    return (key.place.file, overload ?? 0)
  }

  /// The number of a path, or of an image's name.
  mutating func number(_ text: String) -> Int32 {
    if let known = numbers[text] { return known }
    let number = Int32(numbers.count)
    numbers[text] = number
    return number
  }

  private mutating func place(of file: String, in build: Int?) -> Place {
    guard let build else { return Place(file: number(map(file)), build: nil) }
    if let known = places[build][file] { return known }
    let first = (0..<build).first { isComparable($0, build, file) } ?? build
    let place = Place(file: number(map(file)), build: Int32(first))
    places[build][file] = place
    return place
  }

  /// Whether a file had the same text in two builds: its digests are equal, or both are unknown, and some run loaded
  /// both builds. Builds of one image are versions, between which code moves.
  private func isComparable(_ first: Int, _ second: Int, _ file: String) -> Bool {
    let (first, second) = (profile.builds[first], profile.builds[second])
    let (digest, other) = (first.sources[file], second.sources[file])
    guard digest == nil, other == nil else { return digest == other }
    let runs = profile.runs.count + profile.unlisted.runs
    return first.build.name != second.build.name && runs > 0 && first.runs + second.runs > runs
  }
}
