import ArgumentParser
import FirstlightModel

/// A command on a profile from files or from a fleet.
protocol ProfileCommand: ParsableCommand {
  func run(on profile: consuming Profile) throws
}
