import ArchiveProtocol
import URLLoading

extension Failure {
  /// Why a request was refused, in the command's terms.
  init(_ refusal: RefusedRequest, _ subject: String, of url: URL) {
    let isArchive = ArchiveProtocol.capabilities.schemes.contains(url.scheme?.lowercased() ?? "")
    let (reason, advice): (ExitReason, String) =
      switch refusal.kind {
      case .method where isArchive, .body where isArchive:
        (.usage, "archives are read alone: pack what you change with a program for them, and upload the archive")
      case .method: (.usage, "choose one of these with -X; without -d and -T it is GET")
      case .body: (.usage, "leave out -d and -T, or choose another method with -X")
      case .missingBody: (.usage, "give it one with -T FILE or -d DATA")
      case .listing: (.usage, "list without another method")
      // The library's hint is about delegates.
      case .redirect: (.broken, "if you trust it, load what it leads to by its own URL")
      case .unknownRedirect: (.broken, refusal.hint ?? "urlload --help lists the schemes that are built in")
      }
    self.init(reason, refusal.what, subject, advice: advice)
  }
}
