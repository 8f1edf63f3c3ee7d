internal import URLLoadingCCurl

/// TLS sessions, in as many of libcurl's caches as it takes to keep them: since 8.12 a full one gives up the session that came last for the
/// next one. Nothing would resume it, and a server of FTP may take no data connection that does not resume that of the control connection.
///
/// Hosts get a cache in the order in which they come. Of many caches the first is given up, with all that is in it, however much it is used.
/// A name is looked up once for each cache that is asked for it.
struct SessionShares {
  /// A cache has places for 25 of what libcurl calls a peer: a host with one configuration of TLS, or a proxy. These hosts may be loaded from
  /// with four configurations.
  static let hostsOfOne = 6
  static let most = 64

  /// The newest last.
  private var shares: [(handle: UnsafeMutableRawPointer, hosts: [String])] = []
  private var handles: [String: UnsafeMutableRawPointer] = [:]
  /// Those that were given up. libcurl keeps one for the easy handles that still have it.
  private var retired: [UnsafeMutableRawPointer] = []

  /// A cache of names and TLS sessions, without locks.
  static func make() -> UnsafeMutableRawPointer? {
    guard let share = curl_share_init() else { return nil }
    _ = ccurl_share_data(share, CURL_LOCK_DATA_DNS)
    _ = ccurl_share_data(share, CURL_LOCK_DATA_SSL_SESSION)
    return share
  }

  /// The cache of a host; nil where there is no memory for one.
  mutating func share(for host: String) -> UnsafeMutableRawPointer? {
    if let handle = handles[host] { return handle }
    if shares.last.map({ $0.hosts.count >= Self.hostsOfOne }) ?? true {
      guard let new = Self.make() else { return nil }
      shares.append((new, []))
      if shares.count > Self.most { retireFirst() }
    }
    let last = shares.count - 1
    shares[last].hosts.append(host)
    handles[host] = shares[last].handle
    return shares[last].handle
  }

  private mutating func retireFirst() {
    let first = shares.removeFirst()
    for host in first.hosts { handles[host] = nil }
    retired.append(first.handle)
    retired.removeAll { curl_share_cleanup($0) == CURLSHE_OK }
  }

  /// Gives up all of them.
  mutating func close() {
    for handle in retired + shares.map(\.handle) { curl_share_cleanup(handle) }
    (retired, shares, handles) = ([], [], [:])
  }
}
