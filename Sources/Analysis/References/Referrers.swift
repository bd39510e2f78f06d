import ReferenceIndex

/// Who refers to a function, by whether that can have been reached.
struct Referrers {
  /// The first reference from code that may run.
  var live: ReferenceIndex.Reference?
  /// The first one from a test.
  var test: ReferenceIndex.Reference?
  /// Subjects that no run called.
  var neverCalled: [Int] = []
}

/// What the container of a reference is.
enum ReferenceSource {
  case live
  case test
  /// Index of the subject.
  case neverCalled(Int)
}
