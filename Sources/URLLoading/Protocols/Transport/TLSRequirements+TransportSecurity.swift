internal import URLLoadingCurlTransport

/// The rules of App Transport Security as the transfer engine takes them.
extension TLSRequirements {
  init(_ requirements: TransportSecurityRequirements) {
    self.init()
    minimumVersion = requirements.minimumTLSVersion.flatMap { TLSConfiguration.Version($0) }
    requiresForwardSecrecy = requirements.requiresForwardSecrecy
    if let certificates = requirements.certificates {
      minimumRSABits = certificates.minimumRSAKeySize
      minimumEllipticCurveBits = certificates.minimumECKeySize
      minimumDigestBits = certificates.minimumDigestSize
    }
    leafPins = requirements.pins?.leaves ?? []
    authorityPins = requirements.pins?.authorities ?? []
    allowsOverridingTrust = requirements.allowsOverridingTrust
  }
}

extension TransportSecurityRequirements.Rule {
  init(_ rule: TLSRequirements.Rule) {
    self =
      switch rule {
      case .minimumVersion: .minimumTLSVersion
      case .forwardSecrecy: .forwardSecrecy
      case .keySize: .keySize
      case .signature: .signature
      case .pinnedLeaf: .pinnedLeaf
      case .pinnedAuthority: .pinnedAuthority
      }
  }
}
