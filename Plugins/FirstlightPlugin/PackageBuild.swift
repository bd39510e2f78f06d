import Foundation
import PackagePlugin

/// The package that the plugin runs in, and release builds of its programs.
struct PackageBuild {
  let context: PluginContext
  let manager: PackageManager

  var folder: String { context.package.directoryURL.path }

  /// The name of the program to work on: the one asked for, or the only one.
  func product(named names: [String]) throws -> String {
    let all = context.package.products(ofType: ExecutableProduct.self).map(\.name).sorted()
    let list = all.joined(separator: ", ")
    guard !all.isEmpty else {
      throw PluginFailure("this package has no executable product")
    }
    guard let name = names.last else {
      guard all.count == 1 else {
        throw PluginFailure("this package has several programs: choose one with --product: \(list)")
      }
      return all[0]
    }
    guard all.contains(name) else {
      throw PluginFailure("no executable product '\(name)': this package has \(list)")
    }
    return name
  }

  /// Builds it in the user's own build folder; returns the path of the program.
  func build(_ product: String) throws -> String {
    let result = try manager.build(
      .product(product), parameters: .init(configuration: .release, echoLogs: false))
    guard result.succeeded,
      let program = result.builtArtifacts.first(where: {
        $0.kind == .executable && $0.url.lastPathComponent == product
      })
    else {
      print(result.logText)
      throw PluginFailure("the build of '\(product)' failed")
    }
    return program.url.path
  }

  /// The command that builds it at the same place. `swift package` keeps the build folder locked as
  /// long as the plugin runs, and builds nothing itself meanwhile.
  func buildCommand(for product: String) -> String {
    // SwiftPM gives the plugin the folder plugins/NAME/outputs in its build folder.
    let scratch = context.pluginWorkDirectoryURL.deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return "swift build -c release --ignore-lock --product \(quoted(product)) "
      + "--scratch-path \(quoted(scratch.path))"
  }

  /// A word as a shell takes it.
  private func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
