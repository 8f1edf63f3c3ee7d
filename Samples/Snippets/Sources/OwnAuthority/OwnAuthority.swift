import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server whose certificate a company's own authority has signed.
@main
struct OwnAuthority {
    static func main() async throws {
        let url = URL(string: CommandLine.arguments[1])!.appending(path: "small.txt")

        do {
            _ = try await URLSession.shared.data(from: url)
        } catch let error as URLError {
            switch error.code {
            case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
                print("not trusted:", error.failingURL == url)
            default:
                print(error)
            }
        }

        let configuration = URLSessionConfiguration.ephemeral
        #if canImport(FoundationNetworking)
        configuration.certificateAuthorityFile = URL(filePath: ProcessInfo.processInfo.environment["AUTHORITY"]!)
        #endif
        let (data, response) = try await URLSession(configuration: configuration).data(from: url)
        print((response as! HTTPURLResponse).statusCode, data.count)
    }
}
