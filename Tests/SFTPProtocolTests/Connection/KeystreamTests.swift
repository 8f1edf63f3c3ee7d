import Foundation
import SFTPKeystream
import Testing
import URLLoadingCKeystream
import URLLoadingCOpenSSL
import URLLoadingTestServers

@testable import SFTPProtocol

/// The counter mode of `SFTPKeystream`, beside OpenSSL's own.
@Suite(.serialized) struct KeystreamTests {
  private static let ciphers: [(name: String, legacy: @Sendable () -> OpaquePointer?, keyCount: Int)] = [
    ("AES-128-CTR", { EVP_aes_128_ctr() }, 16), ("AES-192-CTR", { EVP_aes_192_ctr() }, 24),
    ("AES-256-CTR", { EVP_aes_256_ctr() }, 32),
  ]

  /// Any cut of the message gives the same, also where the counter overflows and where it begins anew.
  @Test(arguments: 0..<ciphers.count, [true, false]) func isWhatOpenSSLDoes(index: Int, encrypts: Bool) async throws {
    let cipher = Self.ciphers[index]
    var generator = SeededGenerator(seed: UInt64(index))
    let key = (0..<cipher.keyCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let message = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let counter = [UInt8](repeating: 0xFF, count: 15) + [0xF0]
    var cuts: [Int] = []
    while cuts.reduce(0, +) < message.count {
      let count = [16, 16, 16, 1, 15, 17, 4095, 4096, 4097, 20_000].randomElement(using: &generator) ?? 16
      cuts.append(min(count, message.count - cuts.reduce(0, +)))
    }
    let counts = cuts
    let (provider, result) = await onThread {
      #expect(keystream_use_on_this_thread())
      return Self.run(cipher.legacy(), key, counter, message, counts, encrypts)
    }
    let (reference, expected) = await onThread {
      let cipher = EVP_CIPHER_fetch(nil, cipher.name, "provider=default")
      defer { EVP_CIPHER_free(cipher) }
      return Self.run(cipher, key, counter, message, [message.count], encrypts)
    }
    #expect(provider == KEYSTREAM_PROVIDER_NAME)
    #expect(reference == "default")
    #expect(difference(result, from: expected) == nil)
  }

  /// What OpenSSL's own does with a cipher that is started again, copied, or given parameters.
  @Test func changesUnderWayAreWhatOpenSSLDoes() async {
    let (provider, result) = await onThread {
      #expect(keystream_use_on_this_thread())
      return Self.runWithChanges()
    }
    let (reference, expected) = await onThread { Self.runWithChanges() }
    #expect(provider == KEYSTREAM_PROVIDER_NAME)
    #expect(reference == "default")
    #expect(result == expected)
    #expect(result.count == 8 * 40)
  }

  /// Without a key there is nothing to encrypt with.
  @Test func nothingIsEncryptedWithoutAKey() async {
    let isRefused = await onThread {
      guard keystream_use_on_this_thread(), let context = EVP_CIPHER_CTX_new() else { return false }
      defer { EVP_CIPHER_CTX_free(context) }
      guard EVP_CipherInit(context, EVP_aes_128_ctr(), nil, nil, 1) == 1 else { return false }
      var output = [UInt8](repeating: 0, count: 16)
      return EVP_Cipher(context, &output, [UInt8](repeating: 0, count: 16), 16) <= 0
    }
    #expect(isRefused)
  }

  /// Who does AES for a connection.
  private func provider(of options: SSHConnectionOptions) async -> String {
    let test = TestConnection(options)
    await test.expectOpen()
    return await withCheckedContinuation { continuation in
      let isOpen = test.connection.perform { continuation.resume(returning: Self.providerOfCounterMode()) }
      if !isOpen { continuation.resume(returning: "") }
    }
  }

  @Test func isOffUnlessAskedFor() async throws {
    #expect(await provider(of: try await TestConnection.options(.shared)) == "default")
  }

  /// The process's own work with OpenSSL is not touched.
  @Test func isUsedOnTheThreadsOfLaterConnectionsOnly() async throws {
    let before = try await TestConnection.options(.shared)
    #expect(SFTPKeystream.enable())
    defer { SSHThreadSetup.set(nil) }
    let after = try await TestConnection.options(.shared)
    #expect(await provider(of: before) == "default")
    #expect(await provider(of: after) == KEYSTREAM_PROVIDER_NAME)
    #expect(await onThread { Self.providerOfCounterMode() } == "default")
  }

  /// A new exchange of keys every megabyte, in the middle of everything.
  @Test func keysChangeUnderWay() async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.configuration = ["RekeyLimit 1M"]
    let server = try await SSHServer.start(options: serverOptions)
    var options = try await TestConnection.options(server)
    options.threadSetup = { _ = keystream_use_on_this_thread() }
    options.channel = .subsystem("cat")
    let bytes = TestFiles.pattern(count: 10 << 20)
    let test = TestConnection(options, sending: bytes)
    let hasEnded = await test.user.state.wait(timeout: .seconds(60)) {
      $0.receivedCount >= bytes.count || $0.closeCount > 0
    }
    #expect(hasEnded, "\(test.user.state.value.receivedCount)")
    #expect(
      TestFiles.firstDifference(test.user.state.value.received, bytes) == nil, "\(test.user.failure?.message ?? "")")
    await server.stop()
  }

  private static func providerOfCounterMode() -> String {
    let cipher = EVP_CIPHER_fetch(nil, "AES-128-CTR", nil)
    defer { EVP_CIPHER_free(cipher) }
    return name(of: cipher)
  }

  private static func name(of cipher: OpaquePointer?) -> String {
    cipher.flatMap { EVP_CIPHER_get0_provider($0) }.flatMap { OSSL_PROVIDER_get0_name($0) }.map { String(cString: $0) }
      ?? ""
  }

  /// Who did it, and the result, twice: the second time with the first's context and a counter of its own.
  private static func run(
    _ cipher: OpaquePointer?, _ key: [UInt8], _ counter: [UInt8], _ message: [UInt8], _ cuts: [Int], _ encrypts: Bool
  ) -> (provider: String, result: [UInt8]) {
    guard let context = EVP_CIPHER_CTX_new() else { return ("", []) }
    defer { EVP_CIPHER_CTX_free(context) }
    guard EVP_CipherInit_ex(context, cipher, nil, key, counter, encrypts ? 1 : 0) == 1 else { return ("", []) }
    let provider = name(of: EVP_CIPHER_CTX_get0_cipher(context))
    var result: [UInt8] = []
    for turn in 0..<2 {
      if turn == 1, EVP_CipherInit_ex(context, nil, nil, nil, Array(counter.reversed()), -1) != 1 { return ("", []) }
      var rest = message[...]
      for count in cuts {
        var output = [UInt8](repeating: 0, count: count)
        guard EVP_Cipher(context, &output, Array(rest.prefix(count)), UInt32(count)) == count else { return ("", []) }
        result += output
        rest = rest.dropFirst(count)
      }
    }
    return (provider, result)
  }

  private static func runWithChanges() -> (provider: String, result: [UInt8]) {
    guard let context = EVP_CIPHER_CTX_new(), let copy = EVP_CIPHER_CTX_new() else { return ("", []) }
    defer {
      EVP_CIPHER_CTX_free(context)
      EVP_CIPHER_CTX_free(copy)
    }
    var result: [UInt8] = []
    func encrypt(_ context: OpaquePointer, _ count: Int = 40) {
      var output = [UInt8](repeating: 0, count: count)
      if EVP_Cipher(context, &output, [UInt8](repeating: 7, count: count), UInt32(count)) == count { result += output }
    }
    let (key, otherKey) = ([UInt8](0..<16), [UInt8](16..<32))
    // A counter, then a key; both; none; a counter alone.
    #expect(EVP_CipherInit_ex(context, EVP_aes_128_ctr(), nil, nil, otherKey, 1) == 1)
    #expect(EVP_CipherInit_ex(context, nil, nil, key, nil, 1) == 1)
    encrypt(context)
    #expect(EVP_CIPHER_CTX_set_padding(context, 0) == 1)
    encrypt(context)
    #expect(EVP_CipherInit_ex(context, nil, nil, nil, nil, 1) == 1)
    encrypt(context)
    #expect(EVP_CIPHER_CTX_copy(copy, context) == 1)
    encrypt(context)
    encrypt(copy)
    #expect(EVP_CipherInit_ex(context, nil, nil, otherKey, key, 0) == 1)
    encrypt(context)
    #expect(EVP_CipherInit_ex(context, nil, nil, nil, otherKey, 0) == 1)
    encrypt(context)
    encrypt(copy)
    return (name(of: EVP_CIPHER_CTX_get0_cipher(context)), result)
  }

  /// What a thread of its own gives.
  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
