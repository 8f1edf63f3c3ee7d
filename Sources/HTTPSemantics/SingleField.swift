internal import URLLoadingBase

/// What a message says in a field of which it may have one (RFC 9110, section 5.3).
///
/// Some senders and intermediaries repeat such a field all the same. Joined by a comma, as the values of a list are, it would be a value
/// that nobody sent.
package enum SingleField: Equatable {
  case missing
  /// Once, or several times in the same words.
  case value(String)
  /// Several values that differ, in their order.
  case conflict([String])

  /// The value that all of them have; nil where there is none.
  package var agreed: String? {
    if case .value(let value) = self { value } else { nil }
  }

  /// The first value, whatever the others are.
  package var first: String? {
    switch self {
    case .missing: nil
    case .value(let value): value
    case .conflict(let values): values.first
    }
  }

  package var isConflict: Bool {
    if case .conflict = self { true } else { false }
  }
}

extension HTTPFields {
  /// Reads a field of which there may be one. Where its values differ, each reader decides: none of them counts, or the first.
  package func single(_ name: String) -> SingleField {
    var found: String?
    for (fieldName, value) in fields where fieldName.equalsIgnoringASCIICase(name) {
      guard let first = found else {
        found = value
        continue
      }
      if first.trimmingFieldWhitespace != value.trimmingFieldWhitespace { return .conflict(values(of: name)) }
    }
    return found.map { .value($0) } ?? .missing
  }
}
