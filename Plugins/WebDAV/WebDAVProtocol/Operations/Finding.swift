/// What is at a URL, as far as its server says.
struct Finding {
  enum Kind: Equatable {
    case nothing
    case file
    /// - Parameter isEmpty: whether it has no members; true where nobody has looked.
    case directory(isEmpty: Bool)
    /// The server answers no such questions.
    case unknown
  }

  var kind: Kind
  var properties = MultistatusResource.Properties()

  var isDirectory: Bool { if case .directory = kind { true } else { false } }
}
