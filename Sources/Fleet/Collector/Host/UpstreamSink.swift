import FirstlightModel
import FleetAPI
import FleetModel
import HTTPTransport

/// Another firstlightd, over HTTP. It gets the very bytes that wait in the outbox.
struct UpstreamSink: FleetSink {
  let name: String
  private let token: String?
  private let transport: HTTPTransport

  init(url: String, token: String?, transport: HTTPTransport) throws(Failure) {
    self.token = token
    self.transport = transport
    name = try FleetClient(url: url, token: token, transport: transport).url
  }

  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> IngestReceipt {
    let client: FleetClient
    // Looked up each time: a daemon of this machine may make its token later than we start.
    do throws(Failure) {
      client = try FleetClient(
        url: name, token: token ?? LocalToken.find(for: name), transport: transport)
    } catch { throw .failed(error) }
    do throws(UploadError) { return try await client.upload(batch: batch) } catch {
      throw error.isRefusal
        ? .refused(error.failure) : .failed(error.failure, retryAfter: error.retryAfter)
    }
  }
}
