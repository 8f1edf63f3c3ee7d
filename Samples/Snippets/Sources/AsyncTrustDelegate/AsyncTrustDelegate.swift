import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

actor Pins {
    private let certificates: Set<Data>

    init(file: String) throws {
        certificates = [try Data(contentsOf: URL(filePath: file))]
    }

    func contains(_ data: Data) -> Bool { certificates.contains(data) }
}

final class PinnedDelegate: NSObject, URLSessionDelegate {
    let pins: Pins

    init(pins: Pins) { self.pins = pins }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = challenge.protectionSpace.serverTrust
        else { return (.performDefaultHandling, nil) }
        guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let leaf = chain.first else {
            return (.cancelAuthenticationChallenge, nil)
        }
        let data = SecCertificateCopyData(leaf) as Data
        guard await pins.contains(data) else { return (.cancelAuthenticationChallenge, nil) }
        return (.useCredential, URLCredential(trust: trust))
    }
}

@main
struct AsyncTrustDelegate {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let delegate = PinnedDelegate(pins: try Pins(file: environment["CERTIFICATE"]!))
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        async let first = session.data(from: URL(string: CommandLine.arguments[1])!)
        async let second = session.data(from: URL(string: CommandLine.arguments[1])!)
        print(try await (first.1 as! HTTPURLResponse).statusCode, try await (second.1 as! HTTPURLResponse).statusCode)
        do {
            _ = try await session.data(from: URL(string: environment["OTHER_URL"]!)!)
        } catch URLError.cancelled {
            print("cancelled")
        }
    }
}
