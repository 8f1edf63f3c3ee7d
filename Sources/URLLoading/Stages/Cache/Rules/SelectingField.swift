internal import URLLoadingBase
internal import URLLoadingX509
internal import URLLoadingHTTPSemantics

/// A request field that chose a stored response, with its value in the request that was answered (RFC 9111, section 4.1).
struct SelectingField: Hashable, Sendable {
  /// In lower case.
  let name: String
  /// In a form in which equal values are the same; nil where the field was absent. Of one that may be a secret it is a digest, so that no
  /// password stands on a disk for having chosen a response.
  let value: String?

  init(name: String, value: String?) {
    self.name = name
    self.value = value
  }

  /// The field in a request.
  init(_ name: String, in fields: HTTPFields) {
    self.name = name
    value = fields[name].map {
      let value = Self.normalized($0, of: name)
      return SecretFields.contains(name) ? Digest.hexadecimalSHA256(of: value) : value
    }
  }

  /// Lists whose members are tokens with parameters, and compare without regard to case.
  private static let lists: Set<String> = ["accept-charset", "accept-encoding", "accept-language"]

  /// White space is removed where the syntax of the field is known to allow it, else only at the ends: in a field that is not known it
  /// may mean something.
  private static func normalized(_ value: String, of name: String) -> String {
    guard lists.contains(name) else {
      return name == "accept" ? members(value).joined(separator: ",") : String(value.trimmingFieldWhitespace)
    }
    return members(value).map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }.joined(separator: ",")
  }

  private static func members(_ value: String) -> [String] {
    // A comma in a quoted parameter of "Accept" splits it in the same way each time.
    value.split(separator: ",").map { String($0.trimmingFieldWhitespace) }.filter { !$0.isEmpty }
  }
}
