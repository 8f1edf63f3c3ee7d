import Testing

/// One transfer, and what befalls it.
struct SoakCase: Sendable, CustomTestStringConvertible {
  enum Scheme: String, CaseIterable, Sendable {
    case http, ftp, sftp
    /// A member of a zip that is loaded by HTTP.
    case archive
    /// The private scheme of `Samples/ServicePlugin`.
    case vault

    var takesUploads: Bool { self != .archive }
  }

  enum Fault: String, CaseIterable, Sendable {
    /// The program ends when it has made the task; the next one comes when the transfer is done.
    case programExits = "the program exits"
    case programKilled = "the program is killed"
    case serviceKilled = "the service is killed"
    /// Connections are cut off, and others are refused for a while.
    case serverGone = "the server is gone"
    case diskFull = "the disk is full"
  }

  var scheme: Scheme
  var isUpload = false
  var fault: Fault

  var size: Int { isUpload ? SoakSettings.uploadSize : SoakSettings.downloadSize }

  var testDescription: String { "\(scheme.rawValue) \(isUpload ? "upload" : "download"), \(fault.rawValue)" }

  /// Those that this run has.
  static var chosen: [SoakCase] { SoakSettings.isWhole ? all : few }

  /// The service writes nothing of an upload but the server's answer: `UploadAnswerTests` has the full disk that meets that.
  static var all: [SoakCase] {
    Scheme.allCases.flatMap { scheme in
      Fault.allCases.flatMap { fault in
        let isBoth = scheme.takesUploads && fault != .diskFull
        return (isBoth ? [false, true] : [false]).map { SoakCase(scheme: scheme, isUpload: $0, fault: fault) }
      }
    }
  }

  /// Each scheme and each fault, once at least.
  static let few = [
    SoakCase(scheme: .http, fault: .serverGone),
    SoakCase(scheme: .http, isUpload: true, fault: .serviceKilled),
    SoakCase(scheme: .ftp, fault: .diskFull),
    SoakCase(scheme: .ftp, isUpload: true, fault: .programExits),
    SoakCase(scheme: .sftp, fault: .serviceKilled),
    SoakCase(scheme: .sftp, isUpload: true, fault: .serverGone),
    SoakCase(scheme: .archive, fault: .programKilled),
    SoakCase(scheme: .vault, fault: .programKilled),
    SoakCase(scheme: .vault, isUpload: true, fault: .serverGone),
  ]
}
