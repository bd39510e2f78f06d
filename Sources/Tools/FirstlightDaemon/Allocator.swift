import CMalloc

/// Settings of malloc: after one large batch, the daemon returns the memory to the system.
enum Allocator {
  /// Few arenas, and large blocks back to the system at once (mallopt(3)). By default each thread, of eight
  /// times as many as there are processors, keeps an arena of its own, and blocks of up to 32 MB in it.
  static func returnMemoryEarly() {
    _ = mallopt(M_ARENA_MAX, 2)
    _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
  }
}
