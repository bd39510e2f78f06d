import Foundation

/// The `firstlight` that is installed on this machine.
struct InstalledTool {
  private let executable: URL

  /// Looks in the folder that `FIRSTLIGHT_BIN` names; without it, in those of `PATH`.
  static func find() throws -> InstalledTool {
    let environment = ProcessInfo.processInfo.environment
    let folders = environment["FIRSTLIGHT_BIN"] ?? environment["PATH"] ?? ""
    for folder in folders.split(separator: ":") {
      let file = URL(fileURLWithPath: String(folder)).appending(path: "firstlight")
      if FileManager.default.isExecutableFile(atPath: file.path) {
        return InstalledTool(executable: file)
      }
    }
    throw PluginFailure(
      environment["FIRSTLIGHT_BIN"].map { "no firstlight in FIRSTLIGHT_BIN (\($0))" }
        ?? "firstlight is not installed: put it on PATH, or set FIRSTLIGHT_BIN to its folder")
  }

  /// Runs it to its end; returns its exit code, or 128 and the signal that ended it.
  func run(_ arguments: [String], in folder: URL) throws -> Int32 {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
      ? 128 + process.terminationStatus : process.terminationStatus
  }
}

/// One line for the user.
struct PluginFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
