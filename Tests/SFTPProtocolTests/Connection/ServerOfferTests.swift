import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct ServerOfferTests {
  private func keyExchange(_ lists: [String]) -> [UInt8] {
    var payload = SSHFieldWriter()
    payload.byte(20)
    for _ in 0..<16 { payload.byte(7) }
    for list in lists { payload.string(list) }
    var packet = SSHFieldWriter()
    packet.uint32(UInt32(payload.bytes.count + 1 + 4))
    packet.byte(4)
    return packet.bytes + payload.bytes + [0, 0, 0, 0]
  }

  private let lists = ["kex1,kex2", "ssh-ed25519", "c1", "c2", "m1", "m2", "none", "none", "", ""]

  @Test func readsWhatAServerSays() {
    let offer = ServerOffer(firstBytes: Array("Hello\r\nSSH-2.0-Test_1 \u{1B}[31mred\r\n".utf8) + keyExchange(lists))
    #expect(offer.version == "SSH-2.0-Test_1 [31mred", "nothing that a terminal would obey")
    #expect(offer.keyExchange == ["kex1", "kex2"])
    #expect(offer.hostKey == ["ssh-ed25519"])
    #expect(offer.cipherOut == ["c1"] && offer.cipherIn == ["c2"])
    #expect(offer.macOut == ["m1"] && offer.macIn == ["m2"])
    #expect(offer.isComplete)
    #expect(!offer.isOpenSSH)
  }

  @Test func survivesWhatIsNotWhole() {
    let bytes = Array("SSH-2.0-OpenSSH_9.2\n".utf8) + keyExchange(lists)
    for count in bytes.indices {
      // The padding at the end says nothing.
      #expect(ServerOffer(firstBytes: Array(bytes.prefix(count))).isComplete == (count >= bytes.count - 4))
    }
    #expect(ServerOffer(firstBytes: Array(bytes.prefix(30))).isOpenSSH)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      var damaged = bytes
      for _ in 0..<3 { damaged[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random) }
      #expect(ServerOffer(firstBytes: damaged).keyExchange.count < 100)
    }
    #expect(ServerOffer(firstBytes: []).foreignLine == nil)
    #expect(ServerOffer(firstBytes: Array("HTTP/1.1 400 Bad\r\n\r\n".utf8)).foreignLine == "HTTP/1.1 400 Bad")
    #expect(ServerOffer(firstBytes: Array("no end".utf8)).foreignLine == "no end")
  }

  @Test func ordersByWhatIsKnown() {
    let supported = AlgorithmPreferences(
      keyExchange: ["curve25519-sha256", "diffie-hellman-group14-sha1", "diffie-hellman-group14-sha256"],
      hostKey: [
        "ecdsa-sha2-nistp256", "ssh-ed25519", "ssh-rsa", "ssh-dss", "ecdsa-sha2-nistp256-cert-v01@openssh.com",
      ],
      cipher: ["aes256-ctr", "aes256-cbc", "3des-cbc", "arcfour", "none"],
      mac: ["hmac-sha2-256", "hmac-sha2-256-etm@openssh.com", "hmac-md5", "hmac-sha1-96", "hmac-sha1"])
    let preferences = AlgorithmPreferences(supported: supported, knownKeyTypes: ["ssh-rsa", "something"])
    #expect(preferences.hostKey == ["ssh-rsa", "ssh-ed25519", "ecdsa-sha2-nistp256"])
    #expect(preferences.keyExchange == ["curve25519-sha256", "diffie-hellman-group14-sha256"])
    #expect(preferences.cipher == ["aes256-ctr"])
    #expect(preferences.mac == ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-256", "hmac-sha1"])
    #expect(AlgorithmPreferences(supported: supported, knownKeyTypes: []).hostKey.first == "ssh-ed25519")
  }

  @Test func tellsEachGap() {
    let ours = AlgorithmPreferences(keyExchange: ["a", "ext-info-c"], hostKey: ["b"], cipher: ["c"], mac: ["d"])
    var offer = ServerOffer(firstBytes: [])
    (offer.keyExchange, offer.hostKey, offer.cipherOut, offer.cipherIn) = (["a"], ["b"], ["c"], ["c"])
    (offer.macOut, offer.macIn) = (["d"], ["d"])
    #expect(ours.gaps(to: offer) == [])
    offer.hostKey = ["rsa-sha2-512"]
    offer.macIn = ["x-etm"]
    let gaps = ours.gaps(to: offer)
    #expect(gaps.count == 2)
    #expect(gaps.first?.contains("rsa-sha2-512") == true)
    #expect(gaps.first?.contains("it has b") == true)
    #expect(gaps.last?.contains("x-etm") == true)
    offer.keyExchange = ["e"]
    #expect(ours.gaps(to: offer).first?.contains("it has a)") == true, "what is no key exchange is not named as one")
  }
}
