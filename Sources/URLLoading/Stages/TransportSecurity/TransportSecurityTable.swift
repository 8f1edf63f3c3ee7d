/// A dictionary of a property list that is read by the types of its values. What is of another type, or has a key that nobody knows, is an
/// error that names the way to it.
struct TransportSecurityTable {
  /// The keys that lead here.
  let path: String
  private let values: [String: Any]

  init(_ value: Any, at path: String) throws(TransportSecurityError) {
    guard let values = value as? [String: Any] else {
      throw TransportSecurityError(path: path, problem: "it is \(Self.description(of: value))", remedy: "a dictionary")
    }
    self.path = path
    self.values = values
  }

  /// All keys, in an order that is the same in every process.
  var keys: [String] { values.keys.sorted() }

  func path(of key: String) -> String { "\(path).\(key)" }

  func has(_ key: String) -> Bool { values[key] != nil }

  /// Refuses keys that mean nothing here: they may be misspelt.
  func allow(_ known: [String]) throws(TransportSecurityError) {
    for key in keys where !known.contains(key) {
      let remedy = Self.successor(of: key, among: known) ?? "one of \(known.joined(separator: ", "))"
      throw TransportSecurityError(path: path(of: key), problem: "the key is not known here", remedy: remedy)
    }
  }

  func boolean(_ key: String) throws(TransportSecurityError) -> Bool? {
    guard let value = values[key] else { return nil }
    if let flag = value as? Bool { return flag }
    throw error(key, value, remedy: "a Boolean")
  }

  func string(_ key: String) throws(TransportSecurityError) -> String? {
    guard let value = values[key] else { return nil }
    if let text = value as? String { return text }
    throw error(key, value, remedy: "a string")
  }

  func table(_ key: String) throws(TransportSecurityError) -> TransportSecurityTable? {
    guard let value = values[key] else { return nil }
    return try TransportSecurityTable(value, at: path(of: key))
  }

  /// The dictionaries of an array.
  func tables(_ key: String) throws(TransportSecurityError) -> [TransportSecurityTable]? {
    guard let value = values[key] else { return nil }
    guard let array = value as? [Any] else { throw error(key, value, remedy: "an array of dictionaries") }
    var tables: [TransportSecurityTable] = []
    for (index, value) in array.enumerated() {
      tables.append(try TransportSecurityTable(value, at: "\(path(of: key))[\(index)]"))
    }
    return tables
  }

  private func error(_ key: String, _ value: Any, remedy: String) -> TransportSecurityError {
    TransportSecurityError(path: path(of: key), problem: "it is \(Self.description(of: value))", remedy: remedy)
  }

  private static func description(of value: Any) -> String {
    switch value {
    case let text as String: "the string \"\(text.prefix(40))\""
    case is [Any]: "an array"
    case is [AnyHashable: Any]: "a dictionary"
    case let number as NSNumber: "the number \(number)"
    default: "of the type \(type(of: value))"
    }
  }

  /// What older names of keys have become.
  private static func successor(of key: String, among known: [String]) -> String? {
    for old in ["NSThirdPartyException", "NSTemporaryException", "NSTemporaryThirdPartyException"]
    where key.hasPrefix(old) {
      let new = "NSException" + key.dropFirst(old.count)
      if known.contains(new) { return new }
    }
    return known.first { $0.equalsIgnoringASCIICase(key) }
  }
}
