import FirstlightModel

/// The places that debug information gives for counted functions. Debug information and coverage mappings may name
/// different files for one function: a C++ method's declaration and its body, or copies of a header.
struct CountedPlaces {
  private let map: (String) -> String
  private typealias Place = (file: String, line: Int, build: Int)
  private var byName: [TextBytes: [Place]] = [:]
  /// By name: the only file with a counted function of that name; nil: there are several.
  private var countedFile: [TextBytes: TextBytes?] = [:]
  /// By build: names without a place in debug information.
  private var unplaced: [Set<TextBytes>] = []
  /// The places of counters whose function is in a binary.
  private var copies: [Copy: Place] = [:]

  /// Counters in copies of one header have these in common.
  private struct Copy: Hashable {
    @TextBytes var name: String
    var base: TextBytes
    var line: Int

    init(_ function: Function) {
      name = function.name
      base = TextBytes(BaseName.of(function.file ?? ""))
      line = function.line
    }
  }

  init(_ profile: Profile, map: @escaping (String) -> String) {
    self.map = map
    guard profile.builds.contains(where: { $0.countedRuns > 0 }) else { return }
    for (number, build) in profile.builds.lazy.map(\.build).enumerated() {
      for function in build.functions where !function.isCounted {
        for name in [function.name] + function.aliases {
          add(name, function.file, function.line, number)
        }
      }
      unplaced.append(Set(texts: build.guarded.lazy.filter { $0.file == nil }.map(\.name)))
    }
    for function in profile.builds.lazy.flatMap(\.build.functions)
    where function.isCounted && !function.name.isSwiftSymbol {
      let file = TextBytes(function.file ?? "")
      let known = countedFile[function.name, default: file]
      countedFile[function.name] = known == file ? known : .some(nil)
    }
    for (number, recorded) in profile.builds.enumerated() {
      for function in recorded.build.functions where function.isCounted {
        if let place = place(of: function, in: number) { copies[Copy(function)] = place }
      }
    }
  }

  private mutating func add(_ name: String, _ file: String?, _ line: Int, _ build: Int) {
    guard let file, !name.isSwiftSymbol else { return }
    byName[name, default: []].append((map(file), line, build))
  }

  private func place(of function: Function, in build: Int) -> Place? {
    guard let places = byName[function.name], let first = places.first else { return nil }
    let file = map(function.file ?? "")
    // Two programs, or two objects of one, may each have a function of this name at a line of its own.
    let same = places.filter { $0.file == file }
    let own = same.filter { $0.build == build }
    let above = own.filter { $0.line <= function.line }.max { $0.line < $1.line }
    if let place = above ?? own.first ?? same.first { return place }
    // Mangled names of external functions are unique in a program. Others may be the same function, too, if no second
    // one has the name: debug information follows `#line`, coverage mappings do not.
    let isMangled = !function.isLocal && function.name.begins(with: "_")
    let isAlone =
      countedFile[function.name] == TextBytes(function.file ?? "")
      && places.allSatisfy { $0.file == first.file }
    return isMangled || isAlone ? first : nil
  }

  /// The counted function, at the place from debug information if there is one.
  func placed(_ function: Function, of build: Int) -> Function {
    var result = function
    if let place = place(of: function, in: build) ?? copies[Copy(function)] {
      (result.file, result.line) = (place.file, place.line)
    } else if unplaced[build].contains(function.name) {
      result.file = nil
    }
    return result
  }
}
