import Foundation
import Glibc
import URLLoading
import URLLoadingTestServers

/// A protocol of one's own: connects to a port of the loopback address and takes what comes. It tells a lack of connectivity.
final class PlainProtocol: AsyncURLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "plain" }
  override class var capabilities: Capabilities { super.capabilities.union(.connectivity) }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    let port = UInt16(clamping: request.url?.port ?? 0)
    guard LoopbackAddress(port: port).withPointer({ connect(descriptor, $0, $1) }) == 0 else {
      throw URLError(errno == ENETUNREACH ? .notConnectedToInternet : .cannotConnectToHost)
    }
    try await writer.respond(mimeType: "text/plain")
    var buffer = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      try await writer.write(Data(buffer[..<count]))
    }
  }
}
