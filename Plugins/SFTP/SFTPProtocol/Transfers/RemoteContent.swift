/// Where what is stored comes from.
enum RemoteContent {
  case body(UploadBodyReader)
  /// A file of the same server, which copies it itself.
  case file(RemoteSource)

  var isCopy: Bool {
    if case .file = self { true } else { false }
  }

  /// Whether it can be stored again from its beginning, on another connection too.
  var canRepeat: Bool {
    switch self {
    case .body(let reader): reader.canRepeat
    case .file: false
    }
  }

  /// The same from its beginning, where ``canRepeat``.
  func again() -> RemoteContent {
    switch self {
    case .body(let reader): .body(reader.again())
    case .file: self
    }
  }
}

/// A file that is open for a copy.
struct RemoteSource {
  let handle: RemoteHandle
  let version: FileVersion
  let length: UInt64
}
