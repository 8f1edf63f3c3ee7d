/// Every way to load a URL.
enum LoadKind: String, CaseIterable, Sendable, CustomStringConvertible {
  case dataDelegate = "a data task with a delegate"
  case dataHandler = "a data task with a handler"
  case dataAsync = "data(for:)"
  case downloadDelegate = "a download task with a delegate"
  case downloadHandler = "a download task with a handler"
  case downloadAsync = "download(for:)"
  case bytes = "bytes(for:)"

  var description: String { rawValue }
}
