/// Every way to upload.
enum UploadKind: String, CaseIterable, Sendable, CustomStringConvertible {
  case dataDelegate = "an upload task from data, with a delegate"
  case dataHandler = "an upload task from data, with a handler"
  case dataAsync = "upload(for:from:)"
  case fileDelegate = "an upload task from a file, with a delegate"
  case fileAsync = "upload(for:fromFile:)"
  case stream = "a streamed upload task"

  var description: String { rawValue }
}
