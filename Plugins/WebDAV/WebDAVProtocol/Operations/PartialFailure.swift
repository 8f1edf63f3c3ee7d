/// The first thing that a server could not do of what it was to do, by its `multistatus` document. A value without I/O.
struct PartialFailure {
  /// The status, and the reference of what has it.
  private(set) var first: (status: Int, reference: [UInt8])?

  /// What failed because of something else (424) counts only where nothing else failed.
  mutating func take(_ resource: MultistatusResource) {
    guard let status = resource.status, !(200..<300).contains(status) else { return }
    if first == nil || first?.status == 424 && status != 424 { first = (status, resource.reference) }
  }
}
