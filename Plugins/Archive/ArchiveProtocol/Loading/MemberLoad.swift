import Foundation
import URLLoading

/// One load of a member or directory, from the opening of the archive to the last byte, on a thread that may block.
struct MemberLoad {
  /// Wrong passwords after which the load fails.
  private static let maximumPasswords = 16
  private static let bufferSize = 256 << 10
  private static let entriesPerBatch = 256

  let instance: ArchiveProtocol
  let url: URL
  let member: ArchiveMember
  /// How many archives are inside one another around the member.
  let depth: Int
  let configuration: ArchiveConfiguration
  let client: any URLProtocolSessionClient
  let wantsEntries: Bool

  private var request: URLRequest { instance.request }
  private var session: URLSession { client.session }
  private var gate: URLProtocolGate { client.gate }
  private var path: [UInt8] { ArchivePath.canonical(member.pathBytes) }

  /// Runs to the end, and reports it.
  func run() {
    do {
      try load()
      client.urlProtocolDidFinishLoading(instance)
    } catch {
      guard !gate.hasEnded else { return }
      client.urlProtocol(instance, didFailWithError: MemberFailure.error(error, url: url, member: member))
    }
  }

  private func load() throws {
    // Until the response only the archive's own load has a timeout.
    client.urlProtocol(instance, isWaiting: true)
    var hasResponded = false
    let archive = try open()
    do {
      try send(from: archive, &hasResponded)
    } catch let error as URLError where error.code == .resourceUnavailable && error.failingURL != url && !hasResponded {
      // The archive changed since its directory was read.
      session.component(ArchiveStore.self).discard(archive, for: key)
      try send(from: try open(), &hasResponded)
    }
  }

  // MARK: The archive

  private var key: ArchiveStore.Key {
    ArchiveStore.Key(url: member.archive, fields: archiveRequest.allHTTPHeaderFields ?? [:])
  }

  /// The request for the archive: that for the member, without the fields about the member's bytes.
  private var archiveRequest: URLRequest {
    var archive = request
    archive.url = member.archive
    archive.httpMethod = "GET"
    for field in [
      "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Accept-Encoding",
    ] {
      archive.setValue(nil, forHTTPHeaderField: field)
    }
    return archive
  }

  private func open() throws -> OpenArchive {
    let opener = ArchiveOpener(
      request: archiveRequest, url: member.archive, session: session, configuration: configuration, member: path)
    return try session.component(ArchiveStore.self).archive(for: key, depth: depth, gate: gate) {
      try opener.open($0, previous: $1)
    }
  }

  // MARK: What the name leads to

  private func send(from archive: OpenArchive, _ hasResponded: inout Bool) throws {
    let source = ResourceSource(archive.resource)
    gate.whenEnded { source.cancel() }
    switch try archive.resolve(path, source: source) {
    case .member(let entry):
      guard !wantsEntries, !member.isDirectory else { throw URLError.notDirectory(url) }
      if case .other(let special) = entry.kind {
        throw URLError(
          .cannotOpenFile, message: "\(url.redactedDescription) is \(special.words), which has no content.", url: url)
      }
      try send(entry, of: archive, source, &hasResponded)
    case .directory(let path):
      guard wantsEntries else {
        throw URLError(.fileIsDirectory, message: "\(url.redactedDescription) is a directory.", url: url)
      }
      try list(path, of: archive, &hasResponded)
    case .missing:
      throw URLError(
        .fileDoesNotExist,
        message: "There is no \"\(MemberFailure.name(path))\" in the archive \(member.archive.redactedDescription).",
        url: url)
    case .leavesArchive(let link, let target):
      throw URLError(
        .noPermissionsToReadFile,
        message:
          "The link \"\(MemberFailure.name(link))\" leads out of the archive, to \"\(MemberFailure.name(target))\".",
        url: url)
    case .tooManyLinks:
      throw URLError(
        .cannotOpenFile,
        message: "More than \(ArchiveIndex.maximumLinks) links lie on the way to \(url.redactedDescription).", url: url)
    }
  }

  private func list(_ path: [UInt8], of archive: OpenArchive, _ hasResponded: inout Bool) throws {
    respond(
      URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil), &hasResponded)
    var rest = archive.index.children(of: path)[...]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.entriesPerBatch).compactMap { entry in
        let kind: URLDirectoryEntry.Kind =
          switch entry.kind {
          case .file, .hardLink: .file
          case .directory: .directory
          case .symbolicLink: .symbolicLink
          case .other: .other
          }
        return URLDirectoryEntry(
          nameBytes: entry.path[(path.isEmpty ? 0 : path.count + 1)...], in: url, kind: kind,
          size: kind == .file ? entry.size : nil, modificationDate: entry.modificationDate)
      }
      rest = rest.dropFirst(Self.entriesPerBatch)
      guard !batch.isEmpty else { continue }
      try gate.blockUntilOpen()
      client.urlProtocol(instance, didList: batch)
    }
  }

  // MARK: Bytes

  private func send(
    _ entry: ArchiveEntry, of archive: OpenArchive, _ source: ResourceSource, _ hasResponded: inout Bool
  ) throws {
    let validators = MemberVersion.validators(of: entry, in: archive.resource)
    let selection = entry.size.map { request.byteRange(ofLength: $0, validators: validators) } ?? .whole
    guard let (range, contentRange) = selection.bytes(ofLength: entry.size ?? .max) else {
      throw URLError.unsatisfiableRange(of: request, length: entry.size ?? 0)
    }
    let name = MemberFailure.name(entry.path)
    let response = URLResponse(
      url: url, mimeType: MIMETypes.type(forFileName: name) ?? "application/octet-stream",
      expectedContentLength: entry.size == nil ? -1 : Int64(range.count), textEncodingName: nil,
      contentRange: contentRange, validators: validators, acceptsByteRanges: entry.size != nil,
      suggestedFilename: name.split(separator: "/").last.map(String.init))
    guard request.httpMethod != "HEAD" else { return respond(response, &hasResponded) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(min(Int64(Self.bufferSize), max(entry.size ?? .max, 1))), alignment: 16)
    defer { buffer.deallocate() }
    let pieces = try MemberPieces(entry, range, isPart: contentRange != nil, of: archive, source, buffer) {
      failures in try askPassword(for: entry, failures)
    }
    // The first bytes show damage and a wrong password; the response comes after them.
    var count = try pieces.next(into: buffer)
    respond(response, &hasResponded)
    var sent: Int64 = 0
    while count > 0 {
      try gate.blockUntilOpen()
      client.urlProtocol(instance, didLoad: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      sent += Int64(count)
      count = try pieces.next(into: buffer)
    }
    guard entry.size == nil || sent == Int64(range.count) else {
      throw ArchiveError.damaged("it ends after \(sent) of \(range.count) bytes")
    }
  }

  private func respond(_ response: URLResponse, _ hasResponded: inout Bool) {
    hasResponded = true
    client.urlProtocol(instance, isWaiting: false)
    client.urlProtocol(instance, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  // MARK: Passwords

  private func askPassword(for entry: ArchiveEntry, _ failures: Int) throws -> [UInt8]? {
    guard failures < Self.maximumPasswords else { return nil }
    client.urlProtocol(instance, isWaiting: false)
    defer { client.urlProtocol(instance, isWaiting: true) }
    let question = PasswordQuestion()
    let space = URLProtectionSpace(
      host: url.host(percentEncoded: true) ?? "", port: 0, protocol: "archive", realm: MemberFailure.name(entry.path),
      authenticationMethod: NSURLAuthenticationMethodDefault)
    let challenge = URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: nil,
      error: nil, sender: question)
    return try question.wait(gate: gate, url: url) { client.urlProtocol(instance, didReceive: challenge) }
  }
}
