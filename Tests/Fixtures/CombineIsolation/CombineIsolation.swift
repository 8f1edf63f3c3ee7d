import Dispatch
import URLLoading

/// Loads `Hi` by the chain that its argument names, in code of the main actor, and prints where that took it.
@main
struct CombineIsolation {
  static func main() async {
    let chain = CommandLine.arguments.last ?? ""
    let model = Model()
    if chain == "import" { await model.loadByImport() } else { await model.load(by: chain) }
    print("\(model.text), \(model.isOnMainQueue ? "on" : "not on") the main queue")
  }
}

/// What a view shows.
@MainActor
final class Model {
  private(set) var text = ""
  private(set) var isOnMainQueue = false
  private let key = DispatchSpecificKey<Bool>()
  let request = URLRequest(url: URL(string: "data:,Hi") ?? URL(filePath: "/"))

  init() {
    DispatchQueue.main.setSpecific(key: key, value: true)
  }

  func take(_ data: Data) {
    text = String(decoding: data, as: UTF8.self)
    isOnMainQueue = DispatchQueue.getSpecific(key: key) == true
  }
}
