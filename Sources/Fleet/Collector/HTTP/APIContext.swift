import Hummingbird
import Logging
import NIOCore

/// What is known of a request beside itself.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The token that it was let through for; nil: none was asked for.
  var token: TokenEntry?

  /// The connection of the request.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
