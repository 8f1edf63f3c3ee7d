import Foundation

/// The code of an article, made by `article-extractor`.
protocol Article: Sendable {
  static var name: String { get }
  static func run() async throws
}

/// `URLLoadingArticles NAME` runs the code of an article; without a name it lists them.
@main
struct Articles {
  static func main() async throws {
    guard let name = CommandLine.arguments.dropFirst().first else {
      for article in allArticles { print(article.name) }
      return
    }
    guard let article = allArticles.first(where: { $0.name == name }) else {
      print("There is no article \(name).")
      exit(2)
    }
    do { try await article.run() } catch {
      Output.restore()
      print("\(name): \(error)")
      exit(1)
    }
    if Output.isOpen {
      Output.restore()
      print("\(name): it ends with output that was not compared")
      exit(1)
    }
  }
}
