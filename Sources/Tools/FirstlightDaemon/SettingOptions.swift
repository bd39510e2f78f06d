import ArgumentParser
import Collector
import FirstlightModel
import SystemSupport

/// An option for each setting of a group of `Setting.groups`. ArgumentParser finds options by reflection and
/// decodes each value by its label, so a mirror of the group's settings replaces properties.
struct SettingOptions<let group: Int>: ParsableArguments, CustomReflectable {
  /// The values given on the command line, by setting.
  private(set) var given: [TextBytes: String] = [:]

  private static var settings: [Setting] { Setting.groups[group].settings }

  init() {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: FieldName.self)
    for key in Self.settings.map(\.key) {
      given[key] = try values.decodeIfPresent(String.self, forKey: FieldName(stringValue: key))
    }
  }

  var customMirror: Mirror {
    Mirror(self, children: Self.settings.map { ($0.key, $0.option) })
  }
}

extension Setting {
  fileprivate var option: Option<String?> {
    Option(
      help: ArgumentHelp("\(help)", valueName: form),
      completion: form.begins(with: "dir")
        ? .directory : ["file", "path"].contains(form) ? .file() : nil)
  }
}
