/// Success.
public var errSecSuccess: OSStatus { 0 }
/// An argument is of no use.
public var errSecParam: OSStatus { -50 }
/// There was no memory.
public var errSecAllocate: OSStatus { -108 }
/// A passphrase is wrong.
public var errSecAuthFailed: OSStatus { -25293 }
/// There is no such item.
public var errSecItemNotFound: OSStatus { -25300 }
/// A chain of certificates ends before a root that is trusted.
public var errSecCreateChainFailed: OSStatus { -25318 }
/// The bytes are not what they should be.
public var errSecDecode: OSStatus { -26275 }
/// A passphrase is needed.
public var errSecPassphraseRequired: OSStatus { -25260 }
/// A certificate is for another host.
public var errSecHostNameMismatch: OSStatus { -67602 }
/// A certificate's time is over.
public var errSecCertificateExpired: OSStatus { -67818 }
/// A certificate's time has not come.
public var errSecCertificateNotValidYet: OSStatus { -67819 }
/// An authority has revoked its certificate.
public var errSecCertificateRevoked: OSStatus { -67820 }
/// A chain of certificates is not trusted, for a reason without a number of its own.
public var errSecNotTrusted: OSStatus { -67843 }

/// A status in words; nil for one that no function here returns.
///
/// `reserved`: not used.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  let words: String? =
    switch status {
    case errSecSuccess: "No error."
    case errSecParam: "An argument is of no use."
    case errSecAllocate: "There was no memory."
    case errSecAuthFailed: "The passphrase is wrong."
    case errSecPassphraseRequired: "A passphrase is needed."
    case errSecItemNotFound: "There is no such item."
    case errSecCreateChainFailed: "No chain of certificates leads to a root that is trusted."
    case errSecDecode: "The bytes cannot be decoded."
    case errSecHostNameMismatch: "The certificate is for another host."
    case errSecCertificateExpired: "A certificate's time is over."
    case errSecCertificateNotValidYet: "A certificate's time has not come."
    case errSecCertificateRevoked: "A certificate was revoked."
    case errSecNotTrusted: "The certificate is not trusted."
    default: nil
    }
  return words.map { $0 as CFString }
}
