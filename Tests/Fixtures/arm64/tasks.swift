// For Scripts/test-arm64 --swift, numbered as shapes.swift is. One task runs at a time, so that the order is
// the same in each run.

actor Account {
  private var sum = 0
  func add(_ amount: Int) -> Int {  // 3
    sum += amount
    return sum
  }
  func close() { sum = 0 }  // never
}

struct Countdown: AsyncSequence, AsyncIteratorProtocol {
  var left: Int
  mutating func next() async -> Int? {  // 6
    guard left > 0 else { return nil }
    left -= 1
    return left
  }
  func makeAsyncIterator() -> Countdown { self }  // 5
}

@inline(never)
func fetch(_ number: Int) async throws -> Int {  // 4
  await Task.yield()
  if number > 5 { throw CancellationError() }
  return number * 2
}

@inline(never)
func retry(_ number: Int) async -> Int {  // never
  await Task.yield()
  return number
}

@inline(never)
func finish(_ numbers: [Int]) -> Int { numbers.reduce(0, +) }  // 8

@inline(never)
func measured<T: Sendable>(_ body: @Sendable () async throws -> T) async rethrows -> T {  // 2
  try await body()
}

@MainActor
func present(_ number: Int) { print("sum", number) }  // 7

@main @MainActor
struct Program {
  static func main() async throws {  // 1
    let account = Account()
    var sum = await measured { await account.add(1) }
    sum += try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask { @MainActor in try await fetch(sum0) }
      return try await group.next() ?? 0
    }
    for await number in Countdown(left: 3) { sum += number }
    present(sum)
    if CommandLine.arguments.count > 5 {
      sum += await retry(sum)
      await account.close()
    }
    print(finish([sum]))
  }
}

private let sum0 = 2
