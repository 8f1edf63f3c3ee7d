internal import URLLoadingBase

/// The header fields of a message, in the order they were set or received.
///
/// Names compare without regard to ASCII case (RFC 9110 5.1). Lookup is a linear search: messages
/// have a few dozen fields at most, where this beats hashing.
package struct HTTPFields: Sendable {
  package private(set) var fields: [(name: String, value: String)]

  package init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields
  }

  /// Fields from a dictionary, sorted by name so that the order is the same in every process.
  /// Of names that differ in case only, the last in that order wins.
  package init(_ dictionary: [String: String]) {
    fields = []
    fields.reserveCapacity(dictionary.count)
    for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
      self[name] = value
    }
  }

  package var isEmpty: Bool { fields.isEmpty }

  /// The value of a field; the values of a repeated field joined by ", " (RFC 9110 5.3).
  /// Setting replaces all fields of that name, keeping the first one's spelling and place; nil removes them.
  package subscript(name: String) -> String? {
    get {
      guard let first = firstIndex(of: name) else { return nil }
      var joined = fields[first].value
      for field in fields[(first + 1)...] where field.name.equalsIgnoringASCIICase(name) {
        joined += ", "
        joined += field.value
      }
      return joined
    }
    set {
      guard let newValue else {
        fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
        return
      }
      guard let first = firstIndex(of: name) else {
        fields.append((name, newValue))
        return
      }
      fields[first].value = newValue
      let rest = fields[(first + 1)...].filter { !$0.name.equalsIgnoringASCIICase(name) }
      fields.replaceSubrange((first + 1)..., with: rest)
    }
  }

  /// The values of each field of that name, apart.
  package func values(of name: String) -> [String] {
    fields.compactMap { $0.name.equalsIgnoringASCIICase(name) ? $0.value : nil }
  }

  package func contains(_ name: String) -> Bool {
    firstIndex(of: name) != nil
  }

  /// Adds to the value of an existing field after a comma, or adds the field.
  package mutating func join(_ value: String, to name: String) {
    if let index = fields.lastIndex(where: { $0.name.equalsIgnoringASCIICase(name) }) {
      fields[index].value += "," + value
    } else {
      fields.append((name, value))
    }
  }

  /// Replaces all fields of that name by one for each value, at the place of the first one.
  mutating func replace(_ name: String, by values: [String]) {
    let place = firstIndex(of: name) ?? fields.endIndex
    fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
    fields.insert(contentsOf: values.map { (name, $0) }, at: place)
  }

  /// One entry for each name, under the first spelling met, values joined by ", ".
  package var dictionary: [String: String] {
    var result: [String: String] = [:]
    result.reserveCapacity(fields.count)
    var spellings: [String: String] = [:]
    for (name, value) in fields {
      let folded = name.lowercased()
      if let spelling = spellings[folded] {
        result[spelling, default: ""] += ", " + value
      } else {
        spellings[folded] = name
        result[name] = value
      }
    }
    return result
  }

  private func firstIndex(of name: String) -> Int? {
    fields.firstIndex { $0.name.equalsIgnoringASCIICase(name) }
  }
}

extension HTTPFields: Equatable {
  /// The order of different names and the case of names mean nothing (RFC 9110 5.3).
  package static func == (left: HTTPFields, right: HTTPFields) -> Bool {
    left.folded == right.folded
  }

  private var folded: [String: String] {
    Dictionary(dictionary.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}
