import Foundation
import Testing

@testable import URLLoading

@Suite struct TransactionMetricsTests {
  @Test func aPluginFillsThem() {
    let metrics = URLSessionTaskTransactionMetrics(request: URLRequest(url: "my:thing"))
    #expect(metrics.response == nil && metrics.fetchStartDate == nil && metrics.resourceFetchType == .unknown)
    #expect(metrics.countOfResponseBodyBytesReceived == 0 && !metrics.isReusedConnection)
    let date = Date()
    metrics.fetchStartDate = date
    metrics.networkProtocolName = "my"
    metrics.resourceFetchType = .networkLoad
    metrics.countOfResponseBodyBytesReceived = 7
    metrics.negotiatedTLSProtocolVersion = .TLSv13
    metrics.negotiatedTLSCipherSuite = .AES_128_GCM_SHA256
    #expect(metrics.fetchStartDate == date && metrics.networkProtocolName == "my")
    #expect(metrics.resourceFetchType == .networkLoad && metrics.countOfResponseBodyBytesReceived == 7)
    #expect(metrics.negotiatedTLSProtocolVersion?.rawValue == 0x0304)
    #expect(metrics.negotiatedTLSCipherSuite?.rawValue == 0x1301)
    #expect(metrics.request.url == "my:thing" && !metrics.isCellular && !metrics.isMultipath)
  }

  @Test func wireNumbers() {
    #expect(tls_protocol_version_t(rawValue: 0xFEFD) == .DTLSv12)
    #expect(tls_ciphersuite_t(rawValue: 0xC02F) == .ECDHE_RSA_WITH_AES_128_GCM_SHA256)
    // A suite without a name here, AES_128_CCM_8_SHA256, keeps its number.
    #expect(tls_ciphersuite_t(rawValue: 0x1305)?.rawValue == 0x1305)
  }
}
