internal import URLLoadingBase

/// An entry as bytes, for stores outside of the process: a version, then values with their lengths before them, in the order of
/// ``URLCacheEntry/archived()``. Read by any program with the same version.
extension URLCacheEntry {
  /// The version of the form.
  private static let version: UInt8 = 1
  private static let httpKind: UInt8 = 1
  private static let otherKind: UInt8 = 2

  /// The entry without its body.
  public func archived() -> Data {
    var writer = ArchiveWriter()
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
    if let http = response as? HTTPURLResponse {
      writer.byte(Self.httpKind)
      writer.text(http.url?.absoluteString ?? "")
      writer.number(UInt64(clamping: http.statusCode))
      writer.text(http.httpVersion)
      writer.byte(http.isReceived ? 1 : 0)
      let fields = http.fields.fields
      writer.number(UInt64(fields.count))
      for field in fields {
        writer.text(field.name)
        writer.text(field.value)
      }
    } else {
      writer.byte(Self.otherKind)
      let list = response.nestedList
      writer.bytes((try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)) ?? Data())
    }
    return writer.data
  }

  /// Reads what ``archived()`` has made; nil for what is damaged or of another version.
  public init?(archived data: Data) {
    var reader = ArchiveReader(data)
    guard reader.byte() == Self.version, let id = reader.text(), Self.isID(id), let key = reader.text(),
      let length = reader.number().map(Int64.init(bitPattern:)), length >= 0,
      let requested = reader.date(), let responded = reader.date(), let count = reader.count(), count <= 1000
    else { return nil }
    var selecting: [SelectingField] = []
    for _ in 0..<count {
      guard let name = reader.text(), let isThere = reader.byte(), let value = reader.text() else { return nil }
      selecting.append(SelectingField(name: name, value: isThere == 0 ? nil : value))
    }
    guard let info = reader.bytes(), let response = Self.response(&reader), reader.isAtEnd else { return nil }
    self.init(
      id: id, key: key, response: response, bodyLength: length, requestDate: requested, responseDate: responded,
      selectingFields: selecting, userInfo: info.isEmpty ? nil : info)
  }

  private static func response(_ reader: inout ArchiveReader) -> URLResponse? {
    switch reader.byte() {
    case httpKind:
      guard let url = reader.text().flatMap(URL.init(string:)), let status = reader.count(), status <= 999,
        let httpVersion = reader.text(), let isReceived = reader.byte(), let count = reader.count(), count <= 10_000
      else { return nil }
      var fields: [(name: String, value: String)] = []
      for _ in 0..<count {
        guard let name = reader.text(), let value = reader.text() else { return nil }
        fields.append((name, value))
      }
      return HTTPURLResponse(
        url: url, statusCode: status, httpVersion: httpVersion, fields: fields, isReceived: isReceived != 0)
    case otherKind: return reader.bytes().flatMap { URLResponse.nested(PropertyListReader.dictionary(from: $0)) }
    default: return nil
    }
  }

  /// Identifiers become names of files.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy { $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
  }
}
