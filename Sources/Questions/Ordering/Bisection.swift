import Dispatch

/// The arrays that all buckets of one run of Balanced Partitioning share. Concurrent buckets have
/// different functions and different calls, so they never access the same elements.
struct Bisection: @unchecked Sendable {
  // Owned memory, freed by `deallocate`. By position:
  let functions: UnsafeMutablePointer<Int32>
  let spareFunctions: UnsafeMutablePointer<Int32>
  let calls: UnsafeMutablePointer<Call>
  let spareCalls: UnsafeMutablePointer<Call>
  // By function:
  let sizes: UnsafeMutablePointer<UInt32>
  let isRight: UnsafeMutablePointer<UInt8>
  let gains: UnsafeMutablePointer<Float>
  let functionCount: Int
  let pageSize: UInt64
  let care: Care

  /// The effort for each cut.
  struct Care {
    /// Maximum rounds of exchanges.
    var rounds: Int
    /// A round that moves at most one in this many functions is the last.
    var thoroughness = Int.max
    /// Whether the order is already good, and only neighbouring pages exchange functions.
    var isPolishing = false
  }
  let root: Bucket

  /// - Parameter functions: the functions that some trace calls, in the initial order.
  init(_ problem: OrderingProblem, functions list: [Int32], care: Care) {
    self.care = care
    let callCount = problem.traces.reduce(0) { $0 + $1.count }
    functions = .allocate(capacity: list.count)
    functions.initialize(from: list, count: list.count)
    spareFunctions = .allocate(capacity: list.count)
    spareFunctions.initialize(repeating: 0, count: list.count)
    calls = .allocate(capacity: callCount)
    spareCalls = .allocate(capacity: callCount)
    spareCalls.initialize(repeating: Call(function: 0, time: 0), count: callCount)
    let count = problem.sizes.count
    functionCount = count
    sizes = .allocate(capacity: count)
    sizes.initialize(from: problem.sizes, count: count)
    isRight = .allocate(capacity: count)
    isRight.initialize(repeating: 0, count: count)
    gains = .allocate(capacity: count)
    gains.initialize(repeating: 0, count: count)
    pageSize = UInt64(problem.pageSize)
    var end = 0
    var traces: [BucketTrace] = []
    for trace in problem.traces where trace.count > 1 {
      for (rank, function) in trace.enumerated() {
        (calls + end).initialize(to: Call(function: function, time: Float(rank)))
        end += 1
      }
      let finish = Float(trace.count) * (1 + BalancedPartitioning.wholeTraceWeight)
      traces.append(BucketTrace(end: end, finish: finish))
    }
    let bytes = list.reduce(UInt64(0)) { $0 + UInt64(problem.sizes[Int($1)]) }
    root = Bucket(
      functions: 0..<list.count, calls: 0..<end, traces: traces, bytes: 0..<bytes, number: 1)
  }

  func deallocate() {
    functions.deallocate()
    spareFunctions.deallocate()
    calls.deallocate()
    spareCalls.deallocate()
    sizes.deallocate()
    isRight.deallocate()
    gains.deallocate()
  }

  var order: [Int32] {
    Array(UnsafeBufferPointer(start: functions, count: root.functions.count))
  }

  /// Cuts a bucket in two, and its halves again, down to buckets on one page.
  func bisect(_ bucket: Bucket) {
    guard let cut = bucket.cut(pageSize: pageSize) else { return }
    split(bucket, at: cut)
    improve(bucket, leftBytes: Int64(cut - bucket.bytes.lowerBound))
    let (left, right) = partition(bucket)
    // A large function across the cut can leave one side empty.
    if left.functions.isEmpty || right.functions.isEmpty { return }
    if bucket.number == 1 {
      DispatchQueue.concurrentPerform(iterations: 2) { bisect($0 == 0 ? left : right) }
    } else {
      bisect(left)
      bisect(right)
    }
  }

  /// The initial split: a function's middle determines its side.
  private func split(_ bucket: Bucket, at cut: UInt64) {
    var start = bucket.bytes.lowerBound
    for place in bucket.functions {
      let function = Int(functions[place])
      let size = UInt64(sizes[function])
      isRight[function] = start + size / 2 < cut ? 0 : 1
      start += size
    }
    isRight[Int(functions[bucket.functions.lowerBound])] = 0
    isRight[Int(functions[bucket.functions.upperBound - 1])] = 1
  }

  /// Groups the functions by half, and their calls by half and trace, in stable order.
  private func partition(_ bucket: Bucket) -> (left: Bucket, right: Bucket) {
    let firstFunction = bucket.functions.lowerBound
    var left = firstFunction
    var right = firstFunction
    var middle = bucket.bytes.lowerBound
    for place in bucket.functions {
      let function = functions[place]
      if isRight[Int(function)] == 0 {
        functions[left] = function
        left += 1
        middle += UInt64(sizes[Int(function)])
      } else {
        spareFunctions[right] = function
        right += 1
      }
    }
    (functions + left).update(
      from: spareFunctions + firstFunction, count: right - firstFunction)

    let firstCall = bucket.calls.lowerBound
    var leftEnd = firstCall
    var rightEnd = firstCall
    var leftTraces: [BucketTrace] = []
    var rightTraces: [BucketTrace] = []
    var start = firstCall
    for trace in bucket.traces {
      let leftStart = leftEnd
      let rightStart = rightEnd
      for place in start..<trace.end {
        let call = calls[place]
        if isRight[Int(call.function)] == 0 {
          calls[leftEnd] = call
          leftEnd += 1
        } else {
          spareCalls[rightEnd] = call
          rightEnd += 1
        }
      }
      start = trace.end
      // A trace with a single call does not show which functions belong together.
      if leftEnd - leftStart < 2 {
        leftEnd = leftStart
      } else {
        leftTraces.append(BucketTrace(end: leftEnd, finish: trace.finish))
      }
      if rightEnd - rightStart < 2 {
        rightEnd = rightStart
      } else {
        rightTraces.append(BucketTrace(end: rightEnd, finish: trace.finish))
      }
    }
    (calls + leftEnd).update(from: spareCalls + firstCall, count: rightEnd - firstCall)
    for index in rightTraces.indices { rightTraces[index].end += leftEnd - firstCall }
    return (
      Bucket(
        functions: firstFunction..<left, calls: firstCall..<leftEnd, traces: leftTraces,
        bytes: bucket.bytes.lowerBound..<middle, number: bucket.number &* 2),
      Bucket(
        functions: left..<bucket.functions.upperBound,
        calls: leftEnd..<leftEnd + rightEnd - firstCall, traces: rightTraces,
        bytes: middle..<bucket.bytes.upperBound, number: bucket.number &* 2 &+ 1)
    )
  }
}
