import URLLoading

// Loads the URLs that it is given, of whatever scheme, all at once, and says of each what came.
@main struct LoadEverything {
  static func main() async {
    let urls = CommandLine.arguments.dropFirst().compactMap { URL(string: $0) }
    let reports = await withTaskGroup(of: (Int, String, Bool).self) { group in
      for (index, url) in urls.enumerated() {
        group.addTask {
          let (line, isLoaded) = await report(on: url)
          return (index, line, isLoaded)
        }
      }
      var reports: [(Int, String, Bool)] = []
      for await report in group { reports.append(report) }
      return reports.sorted { $0.0 < $1.0 }
    }
    for report in reports { print(report.1) }
    exit(reports.allSatisfy(\.2) ? 0 : 1)
  }

  /// A line, and whether the URL could be loaded.
  static func report(on url: URL) async -> (String, Bool) {
    do {
      return (try await load(url), true)
    } catch {
      return ("\(url.scheme ?? "-")\tfailed: \(error.localizedDescription)", false)
    }
  }

  /// A line: scheme, status and type, length, and how the body begins.
  static func load(_ url: URL) async throws -> String {
    let (data, response) = try await URLSession.shared.data(from: url)
    let status = (response as? HTTPURLResponse).map { "\($0.statusCode) " } ?? ""
    let beginning = data.prefix(16).map { byte in
      (0x20..<0x7F).contains(byte) ? String(UnicodeScalar(byte)) : "."
    }
    return "\(url.scheme ?? "-")\t\(status)\(response.mimeType ?? "-")\t\(data.count) bytes\t\(beginning.joined())"
  }
}
