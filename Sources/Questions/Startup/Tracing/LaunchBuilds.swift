import DebugInfo
import FirstlightModel
import FirstlightTracer

/// The builds of images with watched functions. A build is indexed when a process first has the image.
struct LaunchBuilds {
  private(set) var all: [Build] = []
  private let entries: [LaunchImages.Entry]
  private var known: [UInt32: Known] = [:]

  private struct Known {
    var build: Int32
    /// The function index of each address.
    var index: [UInt64: UInt32]
  }

  init(_ entries: [LaunchImages.Entry]) { self.entries = entries }

  /// Indexes the images of a process.
  mutating func add(_ record: fl_tracer_process) {
    for image in UnsafeBufferPointer(start: record.images, count: Int(record.image_count))
    where image.image < entries.count && known[image.image] == nil {
      let entry = entries[Int(image.image)]
      guard let (debugImage, functions) = entry.functions else { continue }
      known[image.image] = Known(
        build: Int32(all.count),
        index: Dictionary(
          uniqueKeysWithValues: functions.addresses.enumerated().map { ($1, UInt32($0)) }))
      func isUnchanged() -> Bool { (try? debugImage.checkUnchanged()) != nil }
      let build =
        isUnchanged()
        ? debugImage.symbolBuild(recordedPath: entry.path, entries: functions) : nil
      all.append(
        build.flatMap { isUnchanged() ? $0 : nil }
          ?? debugImage.namelessBuild(recordedPath: entry.path, entries: functions))
    }
  }

  /// The build and the function of a call; nil for a landmark that is not a function of a build.
  func place(of call: fl_tracer_call) -> (build: Int32, function: UInt32)? {
    guard call.image < entries.count, let known = known[call.image],
      let function = known.index[entries[Int(call.image)].addresses[Int(call.function)]]
    else { return nil }
    return (known.build, function)
  }

  func name(_ place: (build: Int32, function: UInt32)) -> String {
    all[Int(place.build)].functions[Int(place.function)].name
  }

  /// The number of watched functions in a process.
  func functionCount(of record: fl_tracer_process) -> Int {
    let images = Set(
      UnsafeBufferPointer(start: record.images, count: Int(record.image_count)).map(\.image))
    return images.reduce(0) { sum, image in
      sum + (known[image].map { all[Int($0.build)].guarded.count } ?? 0)
    }
  }
}
