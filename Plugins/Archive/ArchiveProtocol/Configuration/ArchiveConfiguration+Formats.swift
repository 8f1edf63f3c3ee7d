extension ArchiveConfiguration {
  /// What the readers of all formats but zip need of it.
  var formatOptions: FormatOptions {
    var options = FormatOptions()
    options.limits.maximumMemberCount = maximumMembers
    options.limits.maximumIndexBytes = maximumIndexBytes
    options.limits.maximumSpooledBytes = maximumSpooledBytes
    options.limits.maximumRatio = maximumExpansionRatio
    options.limits.ratioFloor = freelyExpandedBytes
    options.enabledFormats = Set(optionalFormats.compactMap { ArchiveFormat(rawValue: $0.rawValue) })
    options.spoolDirectory = temporaryDirectory.path
    return options
  }
}
