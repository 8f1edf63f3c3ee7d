import Foundation
import FoundationNetworking

/// Code for Apple's systems, where these enumerations are open and have more members.
@main struct CloseCodes {
  static func main() {
    // As programs define codes of their own.
    // swift-format-ignore: NeverForceUnwrap
    let own = URLSessionWebSocketTask.CloseCode(rawValue: 4000)!
    for code in [.normalClosure, .goingAway, .invalid, own] { print(word(of: code), code.rawValue) }
    print(own == URLSessionWebSocketTask.CloseCode(rawValue: 4000), Set([own, .normalClosure]).contains(own))
    print(sendable(own), tls_ciphersuite_t(rawValue: 0x1305)?.rawValue ?? 0, isModern(.CHACHA20_POLY1305_SHA256))
    let services: [URLRequest.NetworkServiceType] = [
      .responsiveData, .avStreaming, .responsiveAV, .callSignaling, .voip,
    ]
    print(services.map(word))
    print(URLRequest.NetworkServiceType.callSignaling == .networkServiceTypeCallSignaling)
  }

  static func word(of code: URLSessionWebSocketTask.CloseCode) -> String {
    switch code {
    case .invalid: "invalid"
    case .normalClosure: "normal"
    case .goingAway, .protocolError, .unsupportedData, .noStatusReceived, .abnormalClosure, .invalidFramePayloadData:
      "other"
    case .policyViolation, .messageTooBig, .mandatoryExtensionMissing, .internalServerError, .tlsHandshakeFailure:
      "another"
    @unknown default: "unknown"
    }
  }

  static func word(of service: URLRequest.NetworkServiceType) -> String {
    switch service {
    case .responsiveData: "responsive data"
    case .avStreaming: "streaming"
    case .responsiveAV: "responsive"
    case .callSignaling: "signalling"
    default: "none of these"
    }
  }

  static func isModern(_ suite: tls_ciphersuite_t) -> Bool {
    switch suite {
    case .AES_128_GCM_SHA256, .AES_256_GCM_SHA384, .CHACHA20_POLY1305_SHA256: true
    default: false
    }
  }

  static func sendable(_ value: some Sendable & Hashable & RawRepresentable<Int>) -> Int { value.rawValue }
}
