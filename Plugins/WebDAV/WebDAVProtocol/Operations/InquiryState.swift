import URLLoading

/// What the answer to a question says, resource by resource. A value without I/O.
struct InquiryState {
  private let base: ResourcePath
  private var own: MultistatusResource?
  private var ownEndsInSlash = false
  private var hasMembers = false

  init(base: ResourcePath) {
    self.base = base
  }

  mutating func take(_ resource: MultistatusResource) {
    guard let path = ResourcePath(reference: resource.reference, in: base), let names = path.names(below: base) else {
      return
    }
    if names.isEmpty {
      own = resource
      ownEndsInSlash = path.endsInSlash
    } else if ![404, 410].contains(resource.status ?? 200) {
      hasMembers = true
    }
  }

  /// The finding where nothing that follows changes it.
  var early: Finding? {
    guard let own, hasMembers else { return nil }
    return Finding(kind: .directory(isEmpty: false), properties: own.properties)
  }

  /// - Returns: nil where the answer is about something else.
  func conclusion(_ failures: WebDAVFailures) throws(URLError) -> Finding? {
    guard let own else { return nil }
    switch own.status ?? 200 {
    case 200..<300: break
    case 404, 410: return Finding(kind: .nothing)
    case let status: throw failures.refused(status)
    }
    let kind: Finding.Kind =
      switch own.properties.isDirectory {
      case _ where hasMembers: .directory(isEmpty: false)
      case true?: .directory(isEmpty: true)
      case false?: .file
      case nil: ownEndsInSlash ? .directory(isEmpty: true) : .unknown
      }
    return Finding(kind: kind, properties: own.properties)
  }
}
