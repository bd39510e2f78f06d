import PackagePlugin

/// Has `GreetingTool` write `Greeting.swift` for the target it is applied to.
@main
struct GreetingPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let output = context.pluginWorkDirectoryURL.appending(path: "Greeting.swift")
    return [
      .buildCommand(
        displayName: "Write Greeting.swift",
        executable: try context.tool(named: "GreetingTool").url,
        arguments: [target.name, output.path],
        outputFiles: [output])
    ]
  }
}
