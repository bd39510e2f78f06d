import Foundation
import PackagePlugin

/// `swift package firstlight COMMAND ...`: runs an installed firstlight on this package.
///
/// It does not depend on the executable of this package: SwiftPM would then compile the whole tool,
/// with its dependencies, in each package that uses the plugin.
@main struct FirstlightPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let tool = try InstalledTool.find()
    let package = PackageBuild(context: context, manager: packageManager)
    let status = try tool.run(
      try words(for: arguments, of: package), in: context.package.directoryURL)
    // SwiftPM names this code, and ends with 1 itself.
    if status != 0 { exit(status) }
  }

  /// The arguments of firstlight: those of the user, with the package's program or folder put in
  /// where the command takes one.
  private func words(for arguments: [String], of package: PackageBuild) throws -> [String] {
    guard let command = arguments.first else { return ["--help"] }
    let rest = arguments.dropFirst()
    switch command {
    case "test": return [command, package.folder] + rest
    case "launch", "gate", "record", "inspect", "libraries", "optimize": break
    default: return arguments
    }
    var options = ArgumentExtractor(rest.prefix { $0 != "--" }.map(\.self))
    let names = options.extractOption(named: "product")
    let own = options.remainingArguments
    let behind = rest.drop { $0 != "--" }
    if own.contains(where: { ["--help", "-h"].contains($0) }) { return arguments }
    let product = try package.product(named: names)
    let program = try package.build(product)
    return switch command {
    case "inspect", "libraries": [command, program] + own
    case "optimize":
      [command, "--binary", program, "--build", package.buildCommand(for: product)] + own + behind
    case "record": [command, "--no-rebuild"] + own + ["--", program] + behind.dropFirst()
    default: [command] + own + ["--", program] + behind.dropFirst()
    }
  }
}
