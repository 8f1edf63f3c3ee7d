import HTTPTypes

extension HTTPFields {
  /// More fields than this end a program: `HTTPFields` takes fewer than 65,535.
  private static let maximumCount = Int(UInt16.max) - 1

  /// Fields with texts. Names that are not field names (RFC 9110, section 5.1) are left out.
  /// - Returns: nil for more fields than one message can have.
  init?(_ fields: some Collection<(name: String, value: String)>) {
    guard fields.count <= Self.maximumCount else { return nil }
    self.init()
    reserveCapacity(fields.count)
    for field in fields {
      guard let name = HTTPField.Name(field.name) else { continue }
      append(HTTPField(name: name, value: field.value))
    }
  }

  /// Every field by itself, as texts.
  var separated: [(name: String, value: String)] { map { ($0.name.rawName, $0.text) } }

  /// One entry for each name, under the first spelling: repeated fields are joined, as a dictionary has to have them.
  var joined: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    var places: [HTTPField.Name: Int] = [:]
    for field in self {
      guard let place = places[field.name] else {
        places[field.name] = result.count
        result.append((field.name.rawName, field.text))
        continue
      }
      // RFC 9113, section 8.2.3, and RFC 9110, section 5.3.
      result[place].value += (field.name == .cookie ? "; " : ", ") + field.text
    }
    return result
  }
}

extension HTTPField {
  /// The value as the library reads one from the network: as UTF-8 if it is that, as ISO-8859-1 else, which has a character for
  /// every byte.
  fileprivate var text: String {
    withUnsafeBytesOfValue { bytes in
      String(validating: bytes, as: UTF8.self)
        ?? String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    }
  }
}
