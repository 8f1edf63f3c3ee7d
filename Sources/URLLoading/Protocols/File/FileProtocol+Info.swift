internal import URLLoadingHTTPSemantics

/// Telling what a path names: see ``URLResourceInfo``.
extension FileProtocol {
  func describe() {
    guard let url = request.url else { return }
    pump.stop()
    do throws(URLError) {
      client?.urlProtocol(
        self, didReceive: URLResponse(try Self.info(of: url)), cacheStoragePolicy: .notAllowed)
      client?.urlProtocolDidFinishLoading(self)
    } catch {
      client?.urlProtocol(self, didFailWithError: error)
    }
  }

  private static func info(of url: URL) throws(URLError) -> URLResourceInfo {
    let path = try FilePath(url)
    var status = stat()
    guard lstat(path.characters, &status) == 0 else { throw OpenFile.failure(toOpen: url, errno) }
    let kind = OpenDirectory.kind(ofMode: status.st_mode)
    return URLResourceInfo(
      url: url, kind: kind, size: kind == .file ? Int64(status.st_size) : nil,
      modificationDate: OpenDirectory.modificationDate(status), permissions: UInt16(status.st_mode & 0o7777),
      mediaType: kind == .file
        ? MIMETypes.type(forFileName: url.lastPathComponent) ?? "application/octet-stream" : nil,
      validators: kind == .file ? OpenFile.validators(status) : ResourceValidators())
  }
}
