import ArchiveProtocol
import Measuring
import SFTPProtocol
import URLLoading

/// Loads URLs of the plugins' schemes and says what it took.
@main
struct PluginBench {
  static func main() {
    Program.run(run)
  }

  private static func run() async throws {
    let work = try Work()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [SFTPProtocol.self, ArchiveProtocol.self]
    configuration.httpMaximumConnectionsPerHost = work.connections
    let session = URLSession(configuration: configuration)
    let measurement = Measurement(client: "URLLoading", work: work)
    switch work.mode {
    case .get: try await measurement.run { try await session.data(from: work.url($0)).0.count }
    case .file:
      try await measurement.run { number in
        let (file, _) = try await session.download(from: work.url(number))
        try FileManager.default.moveItem(atPath: file.path, toPath: work.path)
        return (try FileManager.default.attributesOfItem(atPath: work.path)[.size] as? Int) ?? 0
      }
    case .put:
      let size = (try FileManager.default.attributesOfItem(atPath: work.path)[.size] as? Int) ?? 0
      try await measurement.run { number in
        let request = URLRequest(url: try work.url(number))
        _ = try await session.upload(for: request, fromFile: URL(fileURLWithPath: work.path))
        return size
      }
    case .loop, .handler, .sink, .idle: throw Work.Misuse(description: "plugin-bench knows get, file and put")
    }
  }
}
