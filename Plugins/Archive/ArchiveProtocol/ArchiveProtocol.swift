import Foundation
import URLLoading

// Safe to share: it has no state of its own.
/// Loads and lists the members of archives at any URL that the load's session can load.
///
/// ```swift
/// URLProtocol.registerClass(ArchiveProtocol.self)
/// let archive = URL(string: "https://example.org/data.zip")!
/// let (data, _) = try await URLSession.shared.data(from: URL(archive: archive, member: "a/b.csv")!)
/// ```
///
/// The canonical URL is `archive://<the archive's URL, percent-encoded>/<member>`; the spellings `archive:URL!/member`,
/// `jar:URL!/member` and `zip:URL!/member` are accepted too. From a remote archive, only the bytes that a member needs
/// are loaded, if the archive's scheme supports byte ranges.
///
/// The archive is loaded through the session of the load, with its configuration, credentials and delegate, and with the
/// header fields of the request. `URLSessionConfiguration.archive` has the formats, limits and directories.
public final class ArchiveProtocol: URLProtocol, @unchecked Sendable {
  /// Whether the request's URL names a member of an archive, in any form.
  public override class func canInit(with request: URLRequest) -> Bool {
    guard let scheme = request.url?.scheme?.lowercased() else { return false }
    return declared.schemes.contains(scheme)
  }

  /// The request with the canonical URL.
  public override class func canonicalRequest(for request: URLRequest) -> URLRequest {
    guard let text = request.url?.absoluteString, let url = try? URL(archiveString: text) else { return request }
    var canonical = request
    canonical.url = url
    return canonical
  }

  /// Made once: every load reads it.
  private static let declared: Capabilities = [
    .byteRanges, .listing, .nonblocking, .connectivity, .background,
    .schemes("archive", "jar", "zip"), .acceptedHTTPMethods("GET", "HEAD"),
  ]

  /// Byte ranges and listing, and the connectivity that the archive needs. The schemes are `archive`, `jar` and `zip`, the methods `GET`
  /// and `HEAD`: archives are read only.
  public override class var capabilities: Capabilities { declared }

  /// Starts to load, on a thread of the plugin's pool.
  public override func startLoading() {
    guard let url = request.url, let client = client as? any URLProtocolSessionClient else { return }
    let configuration = client.session.configuration.archive
    do throws(ArchiveURLError) {
      let text = try ArchiveURLText(url.absoluteString)
      let depth = text.layers.count
      let limit = min(configuration.maximumNestingDepth, ArchivePools.maximumDepth)
      guard depth <= limit else { throw .nestedTooDeep(url.absoluteString, limit: limit) }
      guard let member = text.member else { throw .missingArchive(url.absoluteString) }
      let load = MemberLoad(
        instance: self, url: url, member: member, depth: depth, configuration: configuration, client: client,
        wantsEntries: client.urlProtocolDemand(self).wantsEntries)
      ArchivePools.shared.loading(depth: depth).run { load.run() }
    } catch {
      client.urlProtocol(
        self, didFailWithError: URLError(.badURL, message: error.description, url: url, underlying: error))
    }
  }

  /// Stops the load. Its gate has cancelled the pending operations.
  public override func stopLoading() {}
}
