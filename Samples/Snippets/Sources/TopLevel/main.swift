import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let baseURL = URL(string: CommandLine.arguments[1])!
let session = URLSession.shared

func text(_ path: String) async throws -> String {
    let (data, _) = try await session.data(from: baseURL.appending(path: path))
    return String(decoding: data, as: UTF8.self)
}

let (data, response) = try await URLSession.shared.data(from: baseURL.appending(path: "small.txt"))
print((response as! HTTPURLResponse).statusCode, data.count)

let page = try await text("page.html")
print(page.contains("<title>Page</title>"))

session.dataTask(with: baseURL.appending(path: "data.json")) { data, _, _ in
    guard let data, let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else { return }
    print(object["text"] as? String ?? "-")
    exit(0)
}.resume()

try await Task.sleep(for: .seconds(30))
print("The handler was not called.")
