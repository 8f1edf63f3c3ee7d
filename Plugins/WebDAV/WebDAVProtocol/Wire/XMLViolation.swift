/// Why an answer is not read as XML, or not as a `multistatus` document.
enum XMLViolation: Error, Equatable, CustomStringConvertible {
  /// It ends before its root element does.
  case truncated
  /// It is no well-formed XML, for the reason given.
  case malformed(String)
  /// It has a document type, whose entities could be anything.
  case documentType
  /// It is in an encoding that is not read.
  case encoding(String)
  /// It exceeds a limit.
  case limit(String, Int)
  /// It is a document of another kind.
  case otherDocument(String)

  /// The reason, for the middle of a sentence.
  var description: String {
    switch self {
    case .truncated: "it ends in the middle"
    case .malformed(let what): "it is no XML: \(what)"
    case .documentType: "it has a document type, which is not read"
    case .encoding(let name): "its encoding \"\(name)\" is not read"
    case .limit(let what, let limit): "\(what) is limited to \(limit)"
    case .otherDocument(let what): "it is no multistatus document: \(what)"
    }
  }
}
