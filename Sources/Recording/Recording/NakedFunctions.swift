import DebugInfo
import FirstlightModel
import SystemSupport

/// Programs whose results gcc's entry hooks change: gcc calls them in naked functions, too, and destroys the arguments.
enum NakedFunctions {
  /// Refuses such a command before it runs. Other programs that it starts are named after the run.
  ///
  /// - Throws: `.data`.
  static func refuse(_ command: String) throws(Failure) {
    guard let path = try? ProgramPath.find(command),
      let image = try? DebugImage(path: path, debugDirectories: []),
      let failure = failure(of: image, named: path)
    else { return }
    throw failure
  }

  static func failure(of image: DebugImage, named path: String) -> Failure? {
    let names = image.functionsBrokenByHooks
    guard let first = names.first else { return nil }
    let others = names.count > 1 ? " and \(names.count - 1) more" : ""
    return Failure(
      .data,
      "\(path): gcc's entry hooks destroy the arguments of naked functions (\(first)\(others)), so the program's "
        + "results are wrong",
      advice:
        "declare them no_instrument_function, too, or name them in -finstrument-functions-exclude-function-list"
    )
  }
}
