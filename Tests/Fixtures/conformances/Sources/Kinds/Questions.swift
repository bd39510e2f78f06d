import Glibc
import Shapes

/// Questions of a start: many types, some protocols. Returns how many have the answer yes.
func askMuch() -> Int {
  var count = 0
  func ask<T>(_ value: T, depth: Int) {
    if value is any Named { count += 1 }
    if value is any Never { count += 1 }
    if value is any OnlyClasses { count += 1 }
    if value is any Error { count += 1 }
    if depth > 0 {
      ask([value], depth: depth - 1)
      ask(Box(item: value), depth: depth - 1)
      ask(Optional(value), depth: depth - 1)
      ask(Pair<T, Int>(), depth: depth - 1)
    }
  }
  ask(Point(), depth: 4)
  ask(Derived(), depth: 3)
  return count
}

/// The answers of two threads that both ask first.
func askInThreads() -> [Int] {
  let counts = UnsafeMutablePointer<Int>.allocate(capacity: 2)
  let threads = (0..<2).map { number in
    var thread = pthread_t()
    pthread_create(&thread, nil, askInThread, counts + number)
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
  return [counts[0], counts[1]]
}

private func askInThread(_ count: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  count?.assumingMemoryBound(to: Int.self).pointee = askMuch()
  return nil
}

@inline(never) func isNamed(_ value: Any) -> Bool { value is any Named }
@inline(never) func isNever(_ value: Any) -> Bool { value is any Never }
