import Foundation
import PackagePlugin

/// Makes a program of the Swift code of each article of the DocC catalogs, and of the README.
@main
struct ArticlePlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let root = context.package.directoryURL
    let catalogs = [
      "Sources/URLLoading/URLLoading.docc", "Sources/FoundationNetworking/FoundationNetworking.docc",
      "Sources/URLLoadingCombine/URLLoadingCombine.docc", "Plugins/Archive/ArchiveProtocol/ArchiveProtocol.docc",
      "Plugins/SFTP/SFTPProtocol/SFTPProtocol.docc", "Plugins/WebDAV/WebDAVProtocol/WebDAVProtocol.docc",
    ]
    var articles = [root.appending(path: "README.md")]
    for catalog in catalogs.map({ root.appending(path: $0) }) {
      articles += try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "md" }
    }
    articles.sort { $0.lastPathComponent < $1.lastPathComponent }
    let folder = context.pluginWorkDirectoryURL
    let outputs = articles.map {
      folder.appending(path: $0.deletingPathExtension().lastPathComponent + ".swift")
    }
    return [
      .buildCommand(
        displayName: "Extracting the code of the articles",
        executable: try context.tool(named: "article-extractor").url,
        arguments: [folder.path] + articles.map(\.path),
        inputFiles: articles, outputFiles: outputs + [folder.appending(path: "AllArticles.swift")])
    ]
  }
}
