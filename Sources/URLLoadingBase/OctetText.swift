/// A text that was read from octets which may have to be sent back: as UTF-8 if they are that, as ISO-8859-1 else, which has a character
/// for every octet (RFC 9110, section 5.5). The text alone does not tell which: "é" is both.
package struct OctetText: Sendable, Hashable {
  package var text: String
  /// Each character is an octet.
  package var isLatin1: Bool

  package init(_ text: String, isLatin1: Bool = false) {
    self.text = text
    self.isLatin1 = isLatin1
  }

  package init(octets: some Collection<UInt8>) {
    if let text = String(validating: octets, as: UTF8.self) {
      self.init(text)
    } else {
      self.init(String(latin1: octets), isLatin1: true)
    }
  }

  package var octets: [UInt8] { isLatin1 ? text.latin1Octets ?? Array(text.utf8) : Array(text.utf8) }
}

extension String {
  /// One character for each octet.
  package init(latin1 octets: some Collection<UInt8>) {
    self.init(String.UnicodeScalarView(octets.lazy.map { Unicode.Scalar($0) }))
  }

  /// One octet for each character; nil where one has none (ISO-8859-1).
  package var latin1Octets: [UInt8]? {
    var octets: [UInt8] = []
    octets.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      guard let octet = UInt8(exactly: scalar.value) else { return nil }
      octets.append(octet)
    }
    return octets
  }
}
