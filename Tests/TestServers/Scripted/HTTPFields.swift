import Foundation

/// Header fields in the order of the message.
package struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
  /// Names as they were spelled, with their values.
  package var list: [(name: String, value: String)]

  /// Fields in an order.
  package init(_ list: [(name: String, value: String)] = []) {
    self.list = list
  }

  /// Fields in the order of the literal; a name may be there more than once.
  package init(dictionaryLiteral elements: (String, String)...) {
    list = elements.map { (name: $0.0, value: $0.1) }
  }

  /// The value of the first field of a name in any case. Setting replaces all fields of the name.
  package subscript(name: String) -> String? {
    get { all(name).first }
    set {
      list.removeAll { $0.name.caseInsensitiveCompare(name) == .orderedSame }
      if let newValue { list.append((name, newValue)) }
    }
  }

  /// The values of all fields of a name in any case.
  package func all(_ name: String) -> [String] {
    list.filter { $0.name.caseInsensitiveCompare(name) == .orderedSame }.map(\.value)
  }
}
