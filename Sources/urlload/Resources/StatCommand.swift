import ArgumentParser
import URLLoading
internal import URLLoadingHTTPSemantics

/// The command `urlload stat`.
struct StatCommand: ParsableCommand {
  static let name = "stat"

  static let configuration = CommandConfiguration(
    commandName: "urlload stat",
    abstract: "Tells what URLs name: kind, length, permissions, time of the last change, type and version.",
    discussion: HelpText.resources, version: HelpText.version)

  @Argument(help: ArgumentHelp("What is looked at: URLs, or paths.", valueName: "URL"), completion: .file())
  var urls: [String]

  @Flag(help: "Write an object a line; without what is not known.")
  var json = false

  @OptionGroup var options: ResourceOptions

  func work(_ console: Console) throws -> ResourceWork {
    let load = try options.load(urls)
    return ResourceWork(options: load, console: console) { [json] _, _ in
      load.urls.map { url in
        ResourceWork.Step(url: url, action: "described") { session, login in
          let info = try await session.resourceInfo(at: url, delegate: login)
          let text = try json ? Self.object(info) : Self.lines(info)
          try DescriptorWriter.write(Array(text.utf8), to: STDOUT_FILENO, "standard output")
        }
      }
    }
  }

  private struct Object: Encodable {
    let kind: String
    let size: Int64?
    let permissions: String?
    let modified: Date?
    let type: String?
    let tag: String?
    let url: String
  }

  private static func kind(_ info: URLResourceInfo) -> String {
    info.kind == .symbolicLink ? "link" : info.kind.rawValue
  }

  private static func permissions(_ info: URLResourceInfo) -> String? {
    info.permissions.map { "0" + String($0, radix: 8) }
  }

  private static func object(_ info: URLResourceInfo) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    let object = Object(
      kind: kind(info), size: info.size, permissions: permissions(info), modified: info.modificationDate,
      type: info.mediaType, tag: info.validators.entityTag,
      url: URLSecrets.cleared(info.url.absoluteString, .removePassword))
    return String(decoding: try encoder.encode(object), as: UTF8.self) + "\n"
  }

  private static func lines(_ info: URLResourceInfo) -> String {
    let facts: [(String, String?)] = [
      ("url", SafeText.url(info.url)), ("kind", kind(info)), ("size", info.size.map { "\($0)" }),
      ("permissions", permissions(info)), ("modified", info.modificationDate?.formatted(.iso8601)),
      ("type", info.mediaType.map { SafeText.escaped($0) }),
      ("tag", info.validators.entityTag.map { SafeText.escaped($0) }),
    ]
    return facts.map { name, value in
      value.map { "\(name):\(String(repeating: " ", count: 13 - name.count))\($0)\n" } ?? ""
    }.joined()
  }
}
