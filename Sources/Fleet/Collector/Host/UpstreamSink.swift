import FirstlightModel
import FleetModel
import HTTPTransport
import Logging
import ServiceLifecycle
import SpoolIntake
import SystemSupport

/// Another firstlightd, over HTTP.
struct UpstreamSink: FleetSink {
  let name: String
  let isOfThisHost = false
  private let token: String?
  private let transport: HTTPTransport

  init(url: String, token: String?, transport: HTTPTransport) throws(Failure) {
    self.token = token
    self.transport = transport
    name = try FleetClient(url: url, token: token, transport: transport).url
  }

  func deliver(_ batch: [UInt8]) async throws(DeliveryError) -> StateReceipt {
    let client: FleetClient
    let compressed: [UInt8]
    do throws(Failure) {
      client = try self.client()
      compressed = try Deflate.compress(batch)
    } catch { throw .failed(error) }
    do throws(UploadError) { return try await client.upload(batch: compressed) } catch {
      throw deliveryError(error)
    }
  }

  func versions(_ rows: StateVersions) async throws(DeliveryError) -> [RowVersion?] {
    let client: FleetClient
    do throws(Failure) { client = try self.client() } catch { throw .failed(error) }
    do throws(UploadError) { return try await client.versions(rows) } catch {
      throw deliveryError(error)
    }
  }

  /// Created for each request, because a daemon of this machine may create its token later.
  private func client() throws(Failure) -> FleetClient {
    try FleetClient(url: name, token: token ?? LocalToken.find(for: name), transport: transport)
  }

  private func deliveryError(_ error: UploadError) -> DeliveryError {
    if error.isRefusal { return .refused(error.failure) }
    return .failed(error.failure, retryAfter: error.retryAfter)
  }
}
