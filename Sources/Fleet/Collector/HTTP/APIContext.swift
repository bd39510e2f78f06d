import Hummingbird
import Logging

/// What is known of a request beside itself.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
  }
}
