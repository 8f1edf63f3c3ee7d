import URLLoading

/// Tells what a URL names.
struct ResourceDescription {
  let exchange: Exchange
  let request: URLRequest

  private var failures: WebDAVFailures { WebDAVFailures(url: exchange.url, action: .describe) }

  func run() async throws {
    let finding = try await Inquiry(exchange: exchange, action: .describe).finding(at: exchange.url)
    switch finding.kind {
    case .nothing: throw failures.refused(404)
    // A server without WebDAV knows files.
    case .unknown: try await FileLoad(exchange: exchange, request: request).run()
    case .file, .directory:
      var info = info(finding)
      if finding.kind == .file, info.validators.entityTag == nil {
        let answer = try await HeadQuestion(exchange: exchange).answer()
        if answer.statusCode == 200 { info.validators = answer.validators }
      }
      await exchange.settle()
      exchange.responds()
      try await exchange.writer.respond(URLResponse(info))
    }
  }

  private func info(_ finding: Finding) -> URLResourceInfo {
    let properties = finding.properties
    let type = properties.mediaType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    return URLResourceInfo(
      url: exchange.url, kind: finding.isDirectory ? .directory : .file,
      size: finding.isDirectory ? nil : properties.size, modificationDate: properties.modificationDate,
      mediaType: finding.isDirectory ? nil : type,
      validators: ResourceValidators(
        entityTag: properties.entityTag, lastModified: properties.modificationDate, isLastModifiedStrong: false))
  }
}
