import FirstlightModel
import Glibc
import ProcessControl
import ReferenceIndex
import SystemSupport

/// Files of Firstlight and of a toolchain that commands need.
package enum NeededLibrary {
  package static func all() -> [MachineFacts.Library] {
    [
      MachineFacts.Library(
        name: ToolLibrary.runtime.fileName,
        failure: failure { () throws(Failure) in _ = try ToolLibrary.runtime.find() }),
      MachineFacts.Library(
        name: ToolLibrary.prefetch.fileName,
        failure: failure { () throws(Failure) in _ = try ToolLibrary.prefetch.find() }),
      MachineFacts.Library(
        name: ToolLibrary.conformances.fileName,
        failure: failure { () throws(Failure) in _ = try ToolLibrary.conformances.find() }),
      MachineFacts.Library(
        name: "libIndexStore.so",
        failure: failure { () throws(Failure) in _ = try IndexStoreLibrary() }),
      MachineFacts.Library(
        name: "firstlight-prune",
        failure: failure { () throws(Failure) in _ = try SiblingProgram("firstlight-prune").find() }
      ),
    ]
  }

  private static func failure(of attempt: () throws(Failure) -> Void) -> Failure? {
    do {
      try attempt()
      return nil
    } catch { return error }
  }
}
