import Foundation

/// A text, and what gzip(1) makes of it.
package enum CodedText {
  /// The text.
  package static let text = String(repeating: "What is stored is the text. ", count: 40)

  /// The same in gzip's format (RFC 1952).
  package static let gzip =
    Data(
      base64Encoded:
        "H4sIAAAAAAACAwvPSCxRyCxWKC7JL0pNAbFKMlIVSlIrSvQUwkflRuVG5UblKJADADL1qPFgBAAA"
    ) ?? Data()
}
