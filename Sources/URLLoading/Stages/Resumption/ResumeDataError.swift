/// Why resume data could not be read.
enum ResumeDataError: Error, Equatable, CustomStringConvertible {
  /// The bytes are no property list, or its top is no dictionary.
  case notAPropertyList
  /// A newer version of this library wrote it.
  case unsupportedVersion(Int)
  /// A needed value is not there.
  case missing(String)
  /// A value is there and cannot be used.
  case invalid(String, reason: String)

  var description: String {
    switch self {
    case .notAPropertyList: "the resume data is not a property list with a dictionary at its top"
    case .unsupportedVersion(let version):
      "the resume data has version \(version), which is newer than this library's \(ResumeData.version)"
    case .missing(let what): "the resume data has no \(what)"
    case .invalid(let what, let reason): "the resume data's \(what) cannot be used: \(reason)"
    }
  }
}
