import FirstlightModel
import Foundation
import Glibc
import Synchronization
import SystemSupport

/// What SwiftPM has built in one configuration.
///
/// `optimize` builds with other flags in the same place, so that it measures what its recipe makes there. Meanwhile
/// the user's own objects lie aside; they come back with SwiftPM's database, so that the next build compiles nothing
/// again. Those of `optimize` stay for its next call.
final class PackageProducts: Sendable {
  private struct Exchange {
    /// SwiftPM's folder of the configuration, its plan and its database.
    var items: [String]
    var store: String

    func own(_ item: String) -> String { "\(store)/own/\(BaseName.of(item))" }
    func other(_ item: String) -> String { "\(store)/optimized/\(BaseName.of(item))" }
  }

  private let program: String
  private let exchange = Mutex<Exchange?>(nil)

  /// - Parameter program: its path, which need not exist yet.
  init(program: String) { self.program = program }

  /// Puts the user's objects aside, unless they are already, or the program is not in a build folder of SwiftPM.
  ///
  /// - Returns: where the user's program lies now; nil if nothing was done.
  func putAside() -> String? {
    exchange.withLock { exchange in
      guard exchange == nil, let path = AbsolutePath.resolved(program),
        let folder = AbsolutePath.folder(of: path),
        let scratch = AbsolutePath.folder(of: folder).flatMap(AbsolutePath.folder)
      else { return nil }
      let new = Exchange(
        items: [folder, "\(scratch)/\(BaseName.of(folder)).yaml", "\(scratch)/build.db"],
        store: "\(scratch)/firstlight")
      guard new.items.allSatisfy({ access($0, F_OK) == 0 }) else { return nil }
      // Of a call that was killed. The user's build has just been made again.
      try? FileManager.default.removeItem(atPath: "\(new.store)/own")
      for kind in ["own", "optimized"] {
        try? FileManager.default.createDirectory(
          atPath: "\(new.store)/\(kind)", withIntermediateDirectories: true)
      }
      guard rename(folder, new.own(folder)) == 0 else { return nil }
      for item in new.items.dropFirst() { rename(item, new.own(item)) }
      for item in new.items { rename(new.other(item), item) }
      exchange = new
      return "\(new.own(folder))/\(BaseName.of(path))"
    }
  }

  /// Brings the user's objects back.
  ///
  /// - Returns: where the program of `optimize` lies now; nil if nothing was put aside.
  @discardableResult
  func bringBack() -> String? {
    exchange.withLock { exchange in
      guard let old = exchange else { return nil }
      for item in old.items {
        rename(item, old.other(item))
        rename(old.own(item), item)
      }
      exchange = nil
      return "\(old.other(old.items[0]))/\(BaseName.of(program))"
    }
  }
}
