import BuildOptimizer
import FirstlightModel
import MachineInspection
import ProcessControl
import ReferenceIndex

/// Files of Firstlight and of a toolchain that commands look for when they need them.
enum NeededLibrary {
  static func all() -> [MachineFacts.Library] {
    [
      MachineFacts.Library(
        name: ToolLibrary.runtime.fileName,
        failure: failure { () throws(Failure) in _ = try ToolLibrary.runtime.find() }),
      MachineFacts.Library(
        name: ToolLibrary.prefetch.fileName,
        failure: failure { () throws(Failure) in _ = try ToolLibrary.prefetch.find() }),
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
