import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// "How to do public key pinning": the pins are those that `openssl x509 -pubkey | openssl pkey -pubin -outform der |
// openssl dgst -sha256 -binary | base64` prints.
class PinningDelegate: NSObject, URLSessionDelegate {
    static let rsa2048Asn1Header: [UInt8] = [
        0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86,
        0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01, 0x0f, 0x00,
    ]

    let pinnedHashes: Set<String>

    init(pinnedHashes: Set<String>) {
        self.pinnedHashes = pinnedHashes
    }

    private func sha256(data: Data) -> String {
        var keyWithHeader = Data(Self.rsa2048Asn1Header)
        keyWithHeader.append(data)
        return Data(SHA256.hash(data: keyWithHeader)).base64EncodedString()
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let serverTrust = challenge.protectionSpace.serverTrust else {
            completionHandler(.cancelAuthenticationChallenge, nil)
            return
        }
        if let chain = SecTrustCopyCertificateChain(serverTrust) as? [SecCertificate],
            let serverCertificate = chain.first,
            let serverPublicKey = SecCertificateCopyKey(serverCertificate),
            let serverPublicKeyData = SecKeyCopyExternalRepresentation(serverPublicKey, nil)
        {
            let keyHash = sha256(data: serverPublicKeyData as Data)
            if pinnedHashes.contains(keyHash) {
                print("Public key pinning is successfully completed")
                completionHandler(.useCredential, URLCredential(trust: serverTrust))
                return
            }
        }
        print("Pinning failed")
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
}

func load(_ pins: Set<String>) {
    let session = URLSession(
        configuration: .ephemeral, delegate: PinningDelegate(pinnedHashes: pins), delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let semaphore = DispatchSemaphore(value: 0)
    session.dataTask(with: URL(string: CommandLine.arguments[1])!) { _, response, error in
        print((response as? HTTPURLResponse)?.statusCode ?? (error as? URLError)?.code.rawValue ?? 0)
        semaphore.signal()
    }.resume()
    semaphore.wait()
}

load([ProcessInfo.processInfo.environment["PIN"]!, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])
load(["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])
