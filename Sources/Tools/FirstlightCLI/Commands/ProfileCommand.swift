import ArgumentParser
import FirstlightModel

/// A command that answers from a profile, wherever that comes from.
protocol ProfileCommand: ParsableCommand {
  func run(on profile: consuming Profile) throws
}
