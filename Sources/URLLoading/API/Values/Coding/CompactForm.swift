/// Values as bytes for other processes and for queues: a version, then the parts one after another, as ``CompactWriter`` writes them.
///
/// Nobody names parts or leaves some out: what is added, or changed, raises the version.
package enum CompactForm {
  /// The first byte. No JSON begins with it, which some messages are.
  package static let version: UInt8 = 1

  package static func data(_ write: (inout CompactWriter) -> Void) -> Data {
    var writer = CompactWriter()
    writer.byte(version)
    write(&writer)
    return writer.data
  }

  /// Nil for what is of another version, damaged, or longer than the value.
  package static func value<Value>(in data: Data, _ read: (inout CompactReader) -> Value?) -> Value? {
    var reader = CompactReader(data)
    guard reader.byte() == version, let value = read(&reader), reader.isAtEnd else { return nil }
    return value
  }
}

/// A value that has the compact form.
package protocol CompactValue {
  func write(to writer: inout CompactWriter)
  /// Nil for what is damaged.
  init?(reading reader: inout CompactReader)
}

extension CompactValue {
  package var compactData: Data { CompactForm.data { write(to: &$0) } }

  package init?(compact data: Data) {
    guard let value = CompactForm.value(in: data, { Self(reading: &$0) }) else { return nil }
    self = value
  }
}
