import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Shows who is at the other end, as browsers do.
class CertificateInspector: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let serverTrust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        for index in 0..<SecTrustGetCertificateCount(serverTrust) {
            guard let certificate = SecTrustGetCertificateAtIndex(serverTrust, index) else { continue }
            let summary = SecCertificateCopySubjectSummary(certificate) as String? ?? "?"
            var commonName: CFString?
            SecCertificateCopyCommonName(certificate, &commonName)
            let serial = SecCertificateCopySerialNumberData(certificate, nil)! as Data
            print(index, summary, commonName! as String == summary, serial.count > 8)
        }
        if let chain = SecTrustCopyCertificateChain(serverTrust) as? [SecCertificate] {
            print(chain.compactMap { SecCertificateCopySubjectSummary($0) as String? }.joined(separator: " < "))
        }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
}

let session = URLSession(configuration: .ephemeral, delegate: CertificateInspector(), delegateQueue: nil)
let semaphore = DispatchSemaphore(value: 0)
session.dataTask(with: URL(string: CommandLine.arguments[1])!) { _, _, error in
    print((error as! URLError).code == .cancelled)
    semaphore.signal()
}.resume()
semaphore.wait()
