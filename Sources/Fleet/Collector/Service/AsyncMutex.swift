/// A lock for tasks. Waiting tasks get it in the order of arrival.
actor AsyncMutex {
  private var isLocked = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  nonisolated func withLock(_ body: () async -> Void) async {
    await lock()
    await body()
    await unlock()
  }

  private func lock() async {
    if isLocked {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isLocked = true
    }
  }

  private func unlock() {
    if waiting.isEmpty { isLocked = false } else { waiting.removeFirst().resume() }
  }
}
