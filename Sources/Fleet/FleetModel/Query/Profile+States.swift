import FirstlightModel

extension Profile {
  /// The states of each run of a profile, by start time.
  ///
  /// - Throws: `.data` if traces of some processes were left out, since their calls are unknown.
  package func fleetStates(labels: FleetLabels) throws(Failure) -> [RunStates] {
    let counted = try counted(labels: labels)
    let recorded = Dictionary(grouping: processes, by: \.run)
    return runs.compactMap { run in
      guard let counted = counted[run.id] else { return nil }
      var digest = RunDigest()
      digest.add(run.id)
      digest.add(run.startedAt.bitPattern)
      for process in (recorded[run.id] ?? []).sorted(by: { $0.id < $1.id }) {
        digest.add(process.id)
        for call in process.calls {
          digest.add(builds[Int(call.build)].build.buildID.description)
          digest.add(UInt64(call.guardIndex) << 32 | UInt64(call.thread))
          digest.add(call.time)
        }
      }
      return RunStates(
        secret: digest.secret, states: counted.tally.states(version: 1), samples: counted.samples)
    }
  }
}

/// 256 bits that no two runs share by accident, and that a run has in every profile.
///
/// They are not secret from anyone who knows the run: the profile, or the run's sampled trace in a
/// store, is enough to compute the same bits and, with an upload token, to replace the run's rows.
/// The same token allows sending any other run. The secrets of hosts' ledgers are random.
private struct RunDigest {
  /// FNV-1a over eight bytes at once, mixed differently in each lane.
  private var lanes: [UInt64] = [
    0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142, 0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03,
  ]
  private static let factors: [UInt64] = [
    0x0000_0100_0000_01b3, 0xd6e8_feb8_6659_fd93, 0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53,
  ]

  mutating func add(_ number: UInt64) {
    for lane in lanes.indices {
      var mixed = (lanes[lane] ^ number) &* Self.factors[lane]
      mixed ^= mixed >> UInt64(29 + lane)
      lanes[lane] = mixed
    }
  }

  mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    for byte in text.utf8 { add(UInt64(byte)) }
  }

  var secret: LedgerSecret {
    var digest = self
    // Spreads the last number over all bits.
    for round in 0..<4 as Range<UInt64> { digest.add(round) }
    let bytes = digest.lanes.flatMap { lane in
      (0..<8).map { UInt8(truncatingIfNeeded: lane >> ($0 * 8)) }
    }
    guard let secret = LedgerSecret(bytes) else { preconditionFailure("four lanes are 32 bytes") }
    return secret
  }
}
