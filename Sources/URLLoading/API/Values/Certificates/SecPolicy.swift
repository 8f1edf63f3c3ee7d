// Safe to share: nothing changes after init.
/// What a chain of certificates has to be good for.
public final class SecPolicy: NSObject, @unchecked Sendable {
  enum Purpose: Hashable {
    case anything
    /// A server's; its certificate has to be for the host, if there is one.
    case server(host: String?)
  }

  let purpose: Purpose

  init(_ purpose: Purpose) { self.purpose = purpose }
}

/// The policy for TLS.
/// - Parameters:
///   - server: whether the chain is a server's; a client's is verified without regard to what its certificate is for.
///   - hostname: the host that the certificate has to be for; nil for any.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(server ? .server(host: hostname.map { $0 as String }) : .anything)
}

/// The policy that only asks for a chain up to a root that is trusted, and for dates.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.anything) }
