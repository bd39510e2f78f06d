import FirstlightModel

/// What one try to write something calls its rows.
struct WriteTag: Sendable {
  /// Microseconds since 1970 above 12 random bits: no two attempts share one.
  let tag: UInt64
  private let began: ContinuousClock.Instant

  /// - Parameter now: seconds since 1970, as this machine's clock has it.
  init(at now: Double) {
    let now = UInt64(max(0, now) * 1_000_000)
    tag = now << 12 | UInt64.random(in: 0..<1 << 12)
    began = .now
  }

  /// When a tag was made, in seconds since 1970.
  static func seconds(of tag: UInt64) -> Double { Double(tag >> 12) / 1e6 }

  /// Rows of attempts that were never committed are removed when they are this old.
  static let abandonedAfter: UInt64 = 86400

  /// The largest tag that no attempt under way can have.
  static func abandoned(at now: Double) -> UInt64 {
    let now = UInt64(max(0, now))
    return ((now - min(now, abandonedAfter)) * 1_000_000) << 12
  }

  /// - Throws: if it takes so long that its rows could be taken for abandoned ones.
  func check(_ server: String) throws(Failure) {
    guard began.duration(to: .now) < .seconds(600) else {
      throw Failure(.unavailable, "\(server): no success within 10 minutes")
    }
  }
}
