internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// An entry as bytes, for stores outside of the process: a version, then values with their lengths before them, in the order of
/// ``URLCacheEntry/archived()``. Read by any program with the same version.
extension URLCacheEntry {
  /// The version of the form.
  private static let version: UInt8 = 1

  /// The entry without its body.
  public func archived() -> Data {
    var writer = CompactWriter()
    writer.byte(Self.version)
    writer.text(id)
    writer.text(key)
    writer.number(UInt64(bitPattern: bodyLength))
    writer.number(requestDate.timeIntervalSince1970.bitPattern)
    writer.number(responseDate.timeIntervalSince1970.bitPattern)
    writer.number(UInt64(selectingFields.count))
    for field in selectingFields {
      writer.text(field.name)
      writer.byte(field.value == nil ? 0 : 1)
      writer.text(field.value ?? "")
    }
    writer.bytes(userInfo ?? Data())
    writer.response(response)
    return writer.data
  }

  /// Reads what ``archived()`` has made; nil for what is damaged or of another version.
  public init?(archived data: Data) {
    var reader = CompactReader(data)
    guard reader.byte() == Self.version, let id = reader.text(), Self.isID(id), let key = reader.text(),
      let length = reader.number().map(Int64.init(bitPattern:)), length >= 0,
      let requested = reader.date(), let responded = reader.date(), let count = reader.count(), count <= 1000
    else { return nil }
    var selecting: [SelectingField] = []
    for _ in 0..<count {
      guard let name = reader.text(), let isThere = reader.byte(), let value = reader.text() else { return nil }
      selecting.append(SelectingField(name: name, value: isThere == 0 ? nil : value))
    }
    guard let info = reader.bytes(), let response = reader.response(), reader.isAtEnd else { return nil }
    self.init(
      id: id, key: key, response: response, bodyLength: length, requestDate: requested, responseDate: responded,
      selectingFields: selecting, userInfo: info.isEmpty ? nil : info)
  }

  /// Identifiers become names of files.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy { $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
  }
}
