import Hummingbird
import Logging

/// What is known of a request beside itself.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The token that it was let through for; nil: none was asked for.
  var token: TokenEntry?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
  }
}
