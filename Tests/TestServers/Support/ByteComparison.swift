import Foundation

/// How bytes differ from those that are expected, in a line; nil where they do not.
///
/// For `#expect(difference(body, from: expected) == nil)`: of two large values that differ `#expect(body == expected)` makes a
/// description, which takes minutes.
package func difference(_ bytes: Data, from expected: Data) -> String? {
  guard let position = TestFiles.firstDifference(bytes, expected) else { return nil }
  return "\(bytes.count) bytes instead of \(expected.count); the first difference is at \(position)"
}

/// The same for arrays.
package func difference(_ bytes: [UInt8], from expected: [UInt8]) -> String? {
  difference(Data(bytes), from: Data(expected))
}
