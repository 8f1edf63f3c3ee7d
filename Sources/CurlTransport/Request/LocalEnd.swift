import Glibc
internal import URLLoadingBase

/// The local end of connections: an address or an interface, and ports.
package struct LocalEnd: Sendable, Hashable {
  /// An address in digits, or the name of an interface; nil for what the kernel chooses.
  private let place: String?
  /// Nil for what the kernel chooses.
  let ports: ClosedRange<UInt16>?

  /// - Parameters:
  ///   - place: an address in digits, or the name of an interface.
  ///   - ports: those that may be taken.
  package init?(place: String?, ports: ClosedRange<UInt16>?) {
    guard place != nil || ports != nil else { return nil }
    (self.place, self.ports) = (place, ports)
  }

  /// IFNAMSIZ, with a NUL.
  private static let nameSize = 16

  private var isAddress: Bool {
    var (four, six) = (in_addr(), in6_addr())
    return place.map { inet_pton(AF_INET, $0, &four) == 1 || inet_pton(AF_INET6, $0, &six) == 1 } ?? false
  }

  /// In the form of CURLOPT_INTERFACE, so that it is not looked up as the name of a host.
  var interfaceOption: String? { place.map { isAddress ? "host!\($0)" : "if!\($0)" } }

  /// - Throws: why no connection can begin there.
  func check() throws(InvalidRequest) {
    if let place, !isAddress {
      // What has a slash or white space is none (dev_valid_name in the kernel).
      guard !place.isEmpty, place.utf8.count < Self.nameSize, place.utf8.allSatisfy({ $0 > 32 && $0 != 47 }) else {
        throw Self.refusal(
          "\"\(ForeignText.line(place))\" is neither an address in digits nor the name of an interface")
      }
      // libcurl binds to the one or to the other.
      guard ports == nil else {
        throw Self.refusal(
          "ports are chosen for an address, and \(ForeignText.line(place)) is the name of an interface")
      }
    }
    if ports?.lowerBound == 0 { throw Self.refusal("0 is no port") }
  }

  private static func refusal(_ words: String) -> InvalidRequest {
    InvalidRequest(
      message: "no connection can begin at the local end that the network settings name: \(words)",
      urlErrorCode: .cannotConnectToHost)
  }
}
