import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Report: Decodable, Sendable {
    let numbers: [Int]
    let text: String
}

enum APIError: Error {
    case badStatus(Int)
}

protocol HTTPClient: Sendable {
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

extension URLSession: HTTPClient {}

struct APIService {
    let baseURL: URL
    var client: any HTTPClient = URLSession.shared

    func report(_ path: String) async throws -> Report {
        var request = URLRequest(url: baseURL.appending(path: path))
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (data, response) = try await client.data(for: request)
        if let http = response as? HTTPURLResponse, http.statusCode != 200 {
            throw APIError.badStatus(http.statusCode)
        }
        return try JSONDecoder().decode(Report.self, from: data)
    }
}

@MainActor
final class ReportViewModel {
    enum State {
        case idle, loading
        case loaded(Report)
        case failed(String)
    }

    private(set) var state = State.idle {
        didSet { print("state: \(state)") }
    }
    private let service: APIService

    init(service: APIService) {
        self.service = service
    }

    func load(_ path: String) async {
        state = .loading
        do {
            state = .loaded(try await service.report(path))
        } catch let APIError.badStatus(code) {
            state = .failed("HTTP \(code)")
        } catch {
            state = .failed(error.localizedDescription)
        }
    }
}

@main
struct AsyncData {
    static func main() async throws {
        let service = APIService(baseURL: URL(string: CommandLine.arguments[1])!)
        let viewModel = ReportViewModel(service: service)
        await viewModel.load("data.json")
        await viewModel.load("status/404")

        // A view that goes away cancels its task.
        let task = Task {
            try await URLSession.shared.data(from: service.baseURL.appending(path: "slow/large.bin"))
        }
        task.cancel()
        do {
            _ = try await task.value
        } catch let error as URLError where error.code == .cancelled {
            print("cancelled")
        }
    }
}
