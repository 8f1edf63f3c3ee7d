/// Writes values one after another, texts and bytes with their length before them, numbers in eight bytes, little end first.
package struct CompactWriter {
  package private(set) var bytes: [UInt8] = []

  package init() { bytes.reserveCapacity(1024) }

  package var data: Data { Data(bytes) }

  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  package mutating func flag(_ value: Bool) { byte(value ? 1 : 0) }

  package mutating func number(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func integer(_ value: some FixedWidthInteger) { number(UInt64(bitPattern: Int64(clamping: value))) }

  package mutating func double(_ value: Double) { number(value.bitPattern) }

  /// A date as Foundation has it, so that the same one is read; one that is further away, or is not one, as a distant one.
  package mutating func moment(_ value: Date) {
    double(max(.distantPast, min(.distantFuture, value)).timeIntervalSinceReferenceDate)
  }

  package mutating func text(_ value: String) {
    number(UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  package mutating func bytes(_ value: Data) {
    number(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// What may be missing.
  package mutating func optional<Value>(_ value: Value?, _ write: (inout CompactWriter, Value) -> Void) {
    flag(value != nil)
    if let value { write(&self, value) }
  }

  /// Things with their number before them.
  package mutating func list<Element>(_ values: [Element], _ write: (inout CompactWriter, Element) -> Void) {
    number(UInt64(values.count))
    for value in values { write(&self, value) }
  }
}
