import Foundation

/// `article-extractor FOLDER ARTICLE…` writes a Swift file for each article, and `AllArticles.swift` with the list of them.
@main
struct ArticleExtractor {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let folder = arguments.first.map({ URL(filePath: $0) }) else { return }
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    var names: [String] = []
    for path in arguments.dropFirst() {
      do {
        let code = try ArticleCode(path: path, root: root)
        if code.hasCode { names.append(code.name) }
        try write(code.hasCode ? code.source : "", to: folder.appending(path: "\(code.name).swift"))
      } catch let fault as ArticleCode.Fault {
        print("\(path): error: \(fault)")
        exit(1)
      }
    }
    let list = names.map { "\($0)Article.self" }.joined(separator: ", ")
    try write(
      "/// All articles that have code.\nlet allArticles: [any Article.Type] = [\(list)]\n",
      to: folder.appending(path: "AllArticles.swift"))
  }

  private static func write(_ text: String, to file: URL) throws {
    guard (try? String(contentsOf: file, encoding: .utf8)) != text else { return }
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
}
