import Testing
import URLLoadingCurlTransport

@testable import URLLoading

/// Who asks for HTTP/3, with whatever libcurl there is.
@Suite struct HTTP3SettingsTests {
  private func request(assuming: Bool) -> URLRequest {
    var request = URLRequest(url: URL(fileURLWithPath: "/"))
    request.url = URL(string: "https://example.org/")
    request.assumesHTTP3Capable = assuming
    return request
  }

  @Test func nobodyDoesUnlessToldTo() {
    let configuration = URLSessionConfiguration.ephemeral
    #expect(configuration.network.maximumHTTPVersion == .http2 && !HTTPRoutes.mayBeTaken(by: configuration))
    #expect(!HTTPRoutes(configuration: configuration).mayTake(request(assuming: false)))
    #expect(HTTPRoutes(configuration: configuration).mayTake(request(assuming: true)) == TransferLibrary.speaksHTTP3)
    configuration.network.maximumHTTPVersion = .http3
    #expect(HTTPRoutes.mayBeTaken(by: configuration))
    #expect(HTTPRoutes(configuration: configuration).mayTake(request(assuming: false)) == TransferLibrary.speaksHTTP3)
    configuration.tlsMaximumSupportedProtocolVersion = .TLSv12
    #expect(!HTTPRoutes(configuration: configuration).mayTake(request(assuming: true)))
  }

  @Test func theTransferServiceNeverDoes() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.network.maximumHTTPVersion = .http3
    let description = BackgroundSessionDescription(BackgroundSettings(identifier: "http3"), configuration)
    let service = URLSessionConfiguration.service(for: description, files: "/nowhere")
    #expect(!HTTPRoutes(configuration: service).mayTake(request(assuming: true)))
  }
}
