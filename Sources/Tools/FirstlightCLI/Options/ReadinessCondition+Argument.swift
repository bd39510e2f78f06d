import ArgumentParser
import ProcessControl

extension ReadinessCondition: ExpressibleByArgument {
  package var defaultValueDescription: String { text }
}
