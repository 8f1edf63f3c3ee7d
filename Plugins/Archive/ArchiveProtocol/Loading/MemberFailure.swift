import Foundation
import URLLoading

/// The error of a load: what was wrong, in which archive and member, and what would be right.
enum MemberFailure {
  static func error(_ error: any Error, url: URL, member: ArchiveMember) -> any Error {
    let place = "\"\(name(member.pathBytes))\" in the archive \(member.archive.redactedDescription)"
    switch error {
    case let error as ArchiveError:
      let (code, words) = describe(error)
      return URLError(code, message: "Cannot load \(place): \(words).", url: url, underlying: error)
    case let error as URLError where error.failingURL != url:
      return URLError(
        error.code, message: "Cannot load \(place): \(error.localizedDescription)", url: url, underlying: error)
    case is URLError: return error
    case is CancellationError: return URLError(.cancelled, message: "The load was cancelled.", url: url)
    default:
      return URLError(
        .cannotOpenFile, message: "Cannot load \(place): \(error.localizedDescription).", url: url, underlying: error)
    }
  }

  /// A name for messages: shortened, and valid text.
  static func name(_ path: some Collection<UInt8>) -> String {
    path.count > 300 ? String(decoding: path.prefix(200), as: UTF8.self) + "…" : String(decoding: path, as: UTF8.self)
  }

  private static func describe(_ error: ArchiveError) -> (URLError.Code, String) {
    switch error {
    case .unknownFormat(let guess):
      (
        .cannotDecodeRawData,
        "the archive is of no format that can be read\(guess.map { "; it looks like \($0)" } ?? "")"
      )
    case .damaged(let what): (.cannotDecodeContentData, "the archive is damaged: \(what)")
    case .limitExceeded(let what, let limit, let property):
      (
        .dataLengthExceedsMaximum,
        "\(what) is limited to \(limit); URLSessionConfiguration.archive.\(property) raises that"
      )
    case .passwordRequired: (.userAuthenticationRequired, "it is encrypted, and no password was given")
    case .wrongPassword: (.userAuthenticationRequired, "the password is wrong")
    case .unsupported(let what): (.cannotDecodeContentData, "it is packed in a way that cannot be read: \(what)")
    case .cancelled: (.cancelled, "the load was cancelled")
    }
  }
}
