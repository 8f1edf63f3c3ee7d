internal import URLLoadingBase

/// What a `Vary` field says (RFC 9110, section 12.5.5).
package enum VaryNames: Sendable, Equatable {
  /// The request fields that chose the response; none where there is no field. In lower case, sorted.
  case fields([String])
  /// More than fields of the request: no other request matches. So does what cannot be read.
  case anything

  package init(_ fields: HTTPFields) {
    var names: Set<String> = []
    for value in fields.values(of: "Vary") {
      for member in value.split(separator: ",") {
        let name = member.trimmingFieldWhitespace
        guard !name.isEmpty else { continue }
        guard name != "*", name.utf8.allSatisfy(\.isTokenCharacter) else {
          self = .anything
          return
        }
        names.insert(name.lowercased())
      }
    }
    self = .fields(names.sorted())
  }
}
