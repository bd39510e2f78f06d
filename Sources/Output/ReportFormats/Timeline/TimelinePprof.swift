import FirstlightModel
import LaunchTimeline

/// The start-up tree as a profile for `go tool pprof` and other readers of `profile.proto`
/// (github.com/google/pprof, proto/README.md), compressed with gzip.
///
/// Each node with values of its own is a sample. Its stack begins with the process and the stage, as in the
/// folded stacks. Faults are those of the whole process during calls of the main thread, so that they add up.
enum TimelinePprof {
  static func bytes(_ timeline: Timeline) throws(Failure) -> [UInt8] {
    let tree = timeline.startupTree()
    var profile = PprofBuilder()
    // Readers take the first binary for the program.
    if let program = timeline.processes.first?.name { profile.addMapping(program) }
    let hasTimes = tree.unit == .nanoseconds
    profile.addSampleType("first_calls", unit: "count")
    if hasTimes {
      profile.addSampleType("time", unit: "nanoseconds")
      profile.addSampleType("minor_faults", unit: "count")
      profile.addSampleType("major_faults", unit: "count")
    }
    var locations: [StartupTree.Frame: UInt64] = [:]
    var stacks: [[UInt64]] = []
    for node in tree.nodes {
      let location: UInt64
      if let known = locations[node.frame] {
        location = known
      } else {
        location = add(node.frame, of: timeline, to: &profile)
        locations[node.frame] = location
      }
      stacks.append([location] + (node.parent < 0 ? [] : stacks[node.parent]))
      var values = [UInt64(node.calls)]
      if hasTimes { values += [node.weight, node.minorFaults, node.majorFaults] }
      if values.contains(where: { $0 > 0 }) {
        profile.addSample(stacks[stacks.count - 1], values: values)
      }
    }
    return try Gzip.compress(
      profile.finish(
        time: UInt64(max(0, timeline.run.startedAt * 1e9)), duration: timeline.end,
        comments: [TimelineSentences.title(timeline)] + TimelineSentences.notes(timeline),
        defaultType: hasTimes ? "time" : "first_calls"))
  }

  private static func add(
    _ frame: StartupTree.Frame, of timeline: Timeline, to profile: inout PprofBuilder
  ) -> UInt64 {
    let name = TimelineSentences.name(frame, in: timeline)
    guard case .function(let index, _) = frame else { return profile.addLocation(name) }
    let function = timeline.functions[index]
    return profile.addLocation(
      name, linkerName: function.linkerName, file: function.file ?? "", line: UInt64(function.line),
      image: function.image)
  }
}

/// Fills a message `Profile`. Numbers of fields are those of profile.proto.
private struct PprofBuilder {
  private var message = ProtobufMessage()
  private var strings: [String: UInt64] = ["": 0]
  private var texts = [""]
  private var mappings: [String: UInt64] = [:]
  private var locations: UInt64 = 0

  private mutating func string(_ text: String) -> UInt64 {
    if let known = strings[text] { return known }
    texts.append(text)
    strings[text] = UInt64(texts.count - 1)
    return UInt64(texts.count - 1)
  }

  mutating func addSampleType(_ type: String, unit: String) {
    let (type, unit) = (string(type), string(unit))
    message.add(1) {
      $0.add(1, type)
      $0.add(2, unit)
    }
  }

  /// - Parameter stack: the innermost location first.
  mutating func addSample(_ stack: [UInt64], values: [UInt64]) {
    message.add(2) {
      $0.add(1, packed: stack)
      $0.add(2, packed: values)
    }
  }

  /// Adds a function and its only location, with the same number.
  mutating func addLocation(
    _ name: String, linkerName: String = "", file: String = "", line: UInt64 = 0,
    image: String? = nil
  ) -> UInt64 {
    locations += 1
    let number = locations
    let mapping = image.map { addMapping($0) } ?? 0
    let (name, linkerName, file) = (string(name), string(linkerName), string(file))
    message.add(4) {
      $0.add(1, number)
      $0.add(2, mapping)
      $0.add(4) {
        $0.add(1, number)
        $0.add(2, line)
      }
    }
    message.add(5) {
      $0.add(1, number)
      $0.add(2, name)
      $0.add(3, linkerName == 0 ? name : linkerName)
      $0.add(4, file)
      $0.add(5, line)
    }
    return number
  }

  @discardableResult
  mutating func addMapping(_ image: String) -> UInt64 {
    if let known = mappings[image] { return known }
    let number = UInt64(mappings.count + 1)
    mappings[image] = number
    let name = string(image)
    message.add(3) {
      $0.add(1, number)
      $0.add(5, name)
      // Names, files and lines are known: readers need not look for the binary.
      for known: UInt64 in 7...9 { $0.add(known, 1) }
    }
    return number
  }

  mutating func finish(
    time: UInt64, duration: UInt64, comments: [String], defaultType: String
  ) -> [UInt8] {
    message.add(9, time)
    message.add(10, duration)
    message.add(13, packed: comments.map { string($0) })
    message.add(14, string(defaultType))
    for text in texts { message.add(6, text) }
    return message.bytes
  }
}
