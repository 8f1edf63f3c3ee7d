/// Evaluates a chain.
///
/// `error`: gets what is wrong, with a code such as `errSecCertificateExpired`; nil where the chain is trusted.
/// - Returns: whether the chain is trusted.
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
  do {
    try trust.evaluate()
    error?.pointee = nil
    return true
  } catch let failure {
    error?.pointee = failure as NSError
    return false
  }
}

/// Evaluates a chain on a queue.
///
/// `result`: is called on the queue with the chain, whether it is trusted, and what is wrong.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping @Sendable (SecTrust, Bool, CFError?) -> Void
) -> OSStatus {
  queue.async {
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    result(trust, isTrusted, error)
  }
  return errSecSuccess
}

/// What an evaluation came to. A chain that is trusted because the user's system says so is `unspecified`, as on Apple's systems.
@frozen public enum SecTrustResultType: UInt32, Sendable {
  /// There was no evaluation.
  case invalid = 0
  /// The user trusts it explicitly.
  case proceed = 1
  /// The user refuses it explicitly.
  case deny = 3
  /// Trusted.
  case unspecified = 4
  /// Not trusted, for a reason that a program may overlook.
  case recoverableTrustFailure = 5
  /// Not trusted, for a reason that nobody may overlook.
  case fatalTrustFailure = 6
  /// The evaluation failed by itself.
  case otherError = 7
}

/// Evaluates a chain, the way that ``SecTrustEvaluateWithError(_:_:)`` replaced.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  SecTrustGetTrustResult(trust, result)
}

/// What the evaluation of a chain came to.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  do {
    try trust.evaluate()
    result.pointee = .unspecified
  } catch let error as SecurityError where error.status == errSecCertificateRevoked {
    result.pointee = .fatalTrustFailure
  } catch {
    result.pointee = .recoverableTrustFailure
  }
  return errSecSuccess
}

/// The chain from the server's certificate up to a root, as far as there is one: a list of ``SecCertificate``.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.path as CFArray }

/// How many certificates the chain has up to a root.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> Int { trust.path.count }

/// One certificate of the chain, the server's own at 0; nil beyond the end.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: Int) -> SecCertificate? {
  let path = trust.path
  return path.indices.contains(index) ? path[index] : nil
}

/// The key of the server's certificate; nil for one that cannot be read.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
  trust.certificates.first.flatMap { SecCertificateCopyKey($0) }
}

/// The key of the server's certificate, by the older name of ``SecTrustCopyKey(_:)``.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Makes a chain to evaluate.
/// - Parameters:
///   - certificates: a ``SecCertificate``, or a list of them.
///   - policies: a ``SecPolicy``, a list of them, or nil for that of `SecPolicyCreateBasicX509`.
///   - trust: gets the chain.
/// - Returns: `errSecSuccess`, or `errSecParam` for objects of other classes.
@discardableResult
public func SecTrustCreateWithCertificates(
  _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  guard let certificates = members(of: certificates, SecCertificate.self), !certificates.isEmpty,
    let policies = policies.map({ members(of: $0, SecPolicy.self) }) ?? [SecPolicyCreateBasicX509()]
  else { return errSecParam }
  trust.pointee = SecTrust(certificates: certificates, policies: policies)
  return errSecSuccess
}

/// Sets what the chain has to be good for.
///
/// `policies`: a ``SecPolicy``, or a list of them.
/// - Returns: `errSecSuccess`, or `errSecParam` for objects of other classes.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
  guard let policies = members(of: policies, SecPolicy.self) else { return errSecParam }
  trust.set(policies: policies)
  return errSecSuccess
}

/// Sets the roots. They are the only ones unless ``SecTrustSetAnchorCertificatesOnly(_:_:)`` says otherwise.
///
/// `anchors`: a list of ``SecCertificate``; nil for the system's.
/// - Returns: `errSecSuccess`, or `errSecParam` for objects of other classes.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus {
  guard let anchors else {
    trust.set(anchors: nil)
    return errSecSuccess
  }
  guard let list = members(of: anchors, SecCertificate.self) else { return errSecParam }
  trust.set(anchors: list)
  return errSecSuccess
}

/// Sets whether the roots that were set are the only ones, or count beside the system's.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorsOnly: Bool) -> OSStatus {
  trust.set(anchorsOnly: anchorsOnly)
  return errSecSuccess
}

/// Sets the moment at which the chain has to be valid, in place of now.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ date: CFDate) -> OSStatus {
  trust.set(date: date as Date)
  return errSecSuccess
}

/// What makes the failure that the chain has now count as none, for later chains of the same server's certificate.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? { trust.exception() as CFData }

/// Has a failure count as none: the one that ``SecTrustCopyExceptions(_:)`` was called about, of the same certificate.
///
/// `exceptions`: nil for no exception.
/// - Returns: whether the exceptions are about this chain's certificate.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
  trust.set(exception: exceptions.map { $0 as Data })
  guard let exceptions, let leaf = trust.certificates.first else { return exceptions == nil }
  return (exceptions as Data).suffix(leaf.fingerprint.count) == leaf.fingerprint
}

/// An object, or the members of a list; nil where one is of another class.
private func members<Member: AnyObject>(of object: CFTypeRef, _ type: Member.Type) -> [Member]? {
  if let member = object as? Member { return [member] }
  guard let list = object as? NSArray else { return nil }
  var members: [Member] = []
  for element in list {
    guard let member = element as? Member else { return nil }
    members.append(member)
  }
  return members
}
