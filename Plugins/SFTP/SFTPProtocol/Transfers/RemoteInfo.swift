import URLLoading
internal import URLLoadingBase

/// Tells what a path names; a link is not followed.
// Safe to share: see `RemoteOperation`.
final class RemoteInfo: RemoteOperation, @unchecked Sendable {
  override func start() {
    report(.began)
    client.lstat(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success(let attributes):
        guard !path.namesDirectory || ![.regular, .other].contains(attributes.kind) else {
          return fail(failures.notADirectory("look at"))
        }
        report(.responded(URLResponse(info(attributes))))
        finish()
      case .failure(let failure): lose(failure)
      }
    }
  }

  private func info(_ attributes: FileAttributes) -> URLResourceInfo {
    let kind = URLDirectoryEntry.Kind(attributes.kind)
    let isFile = kind == .file || kind == .unknown
    return URLResourceInfo(
      url: failures.url, kind: kind, size: isFile ? attributes.size.flatMap { Int64(exactly: $0) } : nil,
      modificationDate: attributes.modificationTime.map { Date(timeIntervalSince1970: TimeInterval($0)) },
      permissions: attributes.permissions.map { UInt16($0 & 0o7777) },
      mediaType: isFile
        ? MIMETypes.type(forFileName: failures.url.lastPathComponent) ?? "application/octet-stream" : nil,
      validators: isFile ? FileVersion(attributes).validators : ResourceValidators())
  }

  /// Nothing was changed: another connection may ask again.
  private func lose(_ failure: SFTPFailure) {
    guard failure.isRepeatable else { return fail(failures.refused("look at", failure)) }
    stop()
    report(.lost(failure))
  }
}

extension URLDirectoryEntry.Kind {
  init(_ kind: FileAttributes.Kind) {
    self =
      switch kind {
      case .regular: .file
      case .directory: .directory
      case .symbolicLink: .symbolicLink
      case .other: .other
      case .unknown: .unknown
      }
  }
}
