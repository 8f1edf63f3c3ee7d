import Foundation

/// How the readers of this folder are set up.
struct FormatOptions: Sendable {
  var limits = FormatLimits()
  /// Those of ``ArchiveFormat/optional`` that are read.
  var enabledFormats: Set<ArchiveFormat> = []
  /// Where temporary files without a name are made.
  var spoolDirectory = FileManager.default.temporaryDirectory.path

  func allows(_ format: ArchiveFormat) -> Bool {
    !ArchiveFormat.optional.contains(format) || enabledFormats.contains(format)
  }
}
