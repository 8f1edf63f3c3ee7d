import ArchiveProtocol
import SFTPProtocol
import URLLoading
internal import URLLoadingBase

/// What `--version` says: the version, those of the libraries behind it, what they do.
enum VersionText {
  static var text: String {
    let schemes = Set(URLProtocol.registeredSchemes).sorted()
    return """
      urlload \(PackageVersion.current) \(LinkedLibraries.transfer) \(SFTPProtocol.libraryVersion) \(ArchiveProtocol.libraryVersion)
      Schemes: \(schemes.joined(separator: " "))
      Features: \(LinkedLibraries.features.joined(separator: " "))
      """
  }
}
