import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func sizes(of urls: [URL]) async throws -> [String: Int] {
    try await withThrowingTaskGroup(of: (String, Int).self) { group in
        for url in urls {
            group.addTask {
                let (data, response) = try await URLSession.shared.data(from: url)
                guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
                return (url.lastPathComponent, data.count)
            }
        }
        var result: [String: Int] = [:]
        for try await (name, size) in group { result[name] = size }
        return result
    }
}

func statusCodes(_ urls: [URL]) async -> [Int] {
    await withTaskGroup(of: (Int, Int).self, returning: [Int].self) { group in
        for (index, url) in urls.enumerated() {
            group.addTask {
                let response = try? await URLSession.shared.data(from: url).1
                return (index, (response as? HTTPURLResponse)?.statusCode ?? 0)
            }
        }
        return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

@main
struct TaskGroup {
    static func main() async throws {
        let baseURL = URL(string: CommandLine.arguments[1])!
        let names = ["small.txt", "large.bin", "empty.bin", "folder/inner.txt"]
        let byName = try await sizes(of: names.map { baseURL.appending(path: $0) })
        for (name, size) in byName.sorted(by: { $0.key < $1.key }) {
            print(name, size)
        }

        let codes = [200, 404, 500, 418, 200, 503]
        print(await statusCodes(codes.map { baseURL.appending(path: "status/\($0)") }) == codes)

        let hundred = try await sizes(of: (0..<100).map { URL(string: "small.txt?\($0)", relativeTo: baseURL)! })
        print(hundred)

        // The first failure cancels the others.
        do {
            _ = try await sizes(of: ["slow/large.bin", "status/404"].map { baseURL.appending(path: $0) })
        } catch URLError.badServerResponse {
            print("one failed")
        }
    }
}
