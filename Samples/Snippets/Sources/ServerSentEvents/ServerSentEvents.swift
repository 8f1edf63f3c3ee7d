import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct EventSource: Sendable {
    let url: URL
    var session = URLSession.shared

    func messages() -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    var request = URLRequest(url: url)
                    request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
                    request.timeoutInterval = 60
                    let (bytes, response) = try await session.bytes(for: request)
                    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
                        throw URLError(.badServerResponse)
                    }
                    for try await line in bytes.lines {
                        guard line.hasPrefix("data: ") else { continue }
                        continuation.yield(String(line.dropFirst(6)))
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

@main
struct ServerSentEvents {
    struct Token: Decodable {
        let delta: String
    }

    static func main() async throws {
        let source = EventSource(url: URL(string: CommandLine.arguments[1])!.appending(path: "events"))
        var answer = ""
        for try await message in source.messages() {
            if message == "[DONE]" { break }
            let token = try JSONDecoder().decode(Token.self, from: Data(message.utf8))
            print("delta:", token.delta)
            answer += token.delta
        }
        print(answer)

        do {
            for try await message in EventSource(url: source.url.appending(path: "missing")).messages() {
                print(message)
            }
        } catch let error as URLError {
            print(error.code == .badServerResponse)
        }
    }
}
