import Foundation
import URLProtocolTesting

@testable import URLLoading

/// For `data:` URLs, which are what they hold.
struct DataFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { DataProtocol.self }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    guard let url = URL(string: "data:application/octet-stream;base64,\(bytes.base64EncodedString())") else {
      throw URLError(.badURL)
    }
    return url
  }
}
