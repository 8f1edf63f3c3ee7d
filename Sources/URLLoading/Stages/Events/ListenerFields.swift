/// The header fields of one attempt's request that the listener has added. They belong to that attempt: a request that is made of this one
/// does not take them along, since the listener may have none for another host.
struct ListenerFields: Sendable {
  private struct Field {
    let name: String
    let value: String
    /// What the request had under the name.
    let earlier: String?
  }

  private var fields: [Field] = []

  /// No fields.
  init() {}

  /// Sets fields of a request, in place of those of the same names.
  init(_ added: [String: String], to request: inout URLRequest) {
    for (name, value) in added {
      fields.append(Field(name: name, value: value, earlier: request.value(forHTTPHeaderField: name)))
      request.setValue(value, forHTTPHeaderField: name)
    }
  }

  /// Takes back what the listener has added. A field that somebody else has set since stays.
  func withdraw(from request: inout URLRequest) {
    // Two may be spellings of one name.
    for field in fields.reversed() where request.value(forHTTPHeaderField: field.name) == field.value {
      request.setValue(field.earlier, forHTTPHeaderField: field.name)
    }
  }
}
