import FirstlightModel
import Glibc
import SystemSupport

/// The user's git, started by arguments and without the commands that a repository's configuration names: a stranger's
/// archive may come with its `.git`.
package struct Git {
  private let options: [String]
  private let environment: [TextBytes: String?]

  /// Git in the repository of a folder, as its user has configured it.
  ///
  /// - Throws: like `ProgramCommand`.
  static func inRepository(of folder: String) throws(Failure) -> Git {
    let git = Git(options: ["-C", folder], settings: withoutCommands)
    // Filters convert a file of the working tree before it is compared, and may have any name.
    let names = try ProgramLog()
    try git.command(
      ["config", "-z", "--name-only", "--get-regexp", #"^filter\..*\.(clean|smudge|process)$"#],
      output: names, log: try ProgramLog("/dev/null")
    ).run()
    // Another name than that in the file would be overridden.
    guard !names.text.containsUTF8("\u{fffd}") else {
      throw Failure(
        .data, "\(folder): git's configuration names a filter that is no UTF-8",
        advice: "remove it from .git/config")
    }
    let filters = names.text.split(at: "\0").compactMap { name in
      name.cutLast(at: ".").map { ("\($0.before).process", "") }
    }
    return Git(options: ["-C", folder], settings: withoutCommands + filters)
  }

  /// Git in a repository of ours, the same for all users.
  package init(bareRepository folder: String) {
    self.init(options: ["--git-dir", folder], settings: Self.withoutCommands)
  }

  private static let withoutCommands = [
    ("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null"),
  ]

  private init(options: [String], settings: [(String, String)]) {
    self.options = options
    // Settings of our caller stay.
    let first = getenv("GIT_CONFIG_COUNT").flatMap { Int(String(cString: $0)) } ?? 0
    var environment: [TextBytes: String?] = [
      "LC_ALL": "C", "GIT_EXTERNAL_DIFF": nil, "GIT_OPTIONAL_LOCKS": "0",
      // Objects that are missing stay so: fetching them starts programs.
      "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none",
      "GIT_CONFIG_COUNT": "\(first + settings.count)",
    ]
    for (number, (name, value)) in settings.enumerated() {
      environment["GIT_CONFIG_KEY_\(first + number)"] = name
      environment["GIT_CONFIG_VALUE_\(first + number)"] = value
    }
    self.environment = environment
  }

  /// - Parameters:
  ///   - environment: more changes of the environment.
  ///   - input: the file that it reads.
  ///   - output: takes its output.
  ///   - log: takes its errors.
  package func command(
    _ arguments: [String], environment: [TextBytes: String?] = [:], input: String = "/dev/null",
    output: ProgramLog? = nil, log: ProgramLog
  ) -> ProgramCommand {
    ProgramCommand(
      ["git", "--no-pager"] + options + arguments,
      environment: self.environment.merging(environment) { $1 }, input: input, output: output,
      log: log)
  }
}
