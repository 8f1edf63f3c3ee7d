internal import URLLoadingCArchive

extension ArchiveProtocol {
  /// The name and version of the library that reads archives.
  package static var libraryVersion: String {
    let version = archive_version_string().map { String(cString: $0) } ?? "unknown"
    return version.replacing("libarchive ", with: "libarchive/")
  }
}
