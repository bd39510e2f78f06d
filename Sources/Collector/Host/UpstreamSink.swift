import FirstlightModel
import FleetAPI
import FleetModel
import HTTPTransport

/// Another firstlightd, over HTTP.
struct UpstreamSink: FleetSink {
  let client: FleetClient

  init(url: String, token: String?, transport: HTTPTransport) throws(Failure) {
    client = try FleetClient(url: url, token: token, transport: transport)
  }

  var name: String { client.url }

  func deliver(_ batch: [UInt8], traces: Int) async throws(Failure) -> IngestReceipt {
    // Where programs lie on this host is nobody else's business.
    let anonymous = try StoreSink.decode(batch).map { trace in
      var trace = trace
      for place in trace.images.indices {
        trace.images[place].name =
          trace.images[place].name.split(separator: "/").last.map(String.init) ?? ""
      }
      return trace
    }
    return try await client.upload(anonymous)
  }
}
