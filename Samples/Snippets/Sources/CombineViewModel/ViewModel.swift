import Combine
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// A view model as apps have it, in Swift 6 mode.
@MainActor
final class ViewModel {
    private(set) var lines: [String] = []
    private(set) var isLoading = false
    private var subscriptions = Set<AnyCancellable>()

    func load(_ url: URL, whenDone: @escaping @MainActor () -> Void) {
        isLoading = true
        URLSession.shared.dataTaskPublisher(for: url)
            .receive(on: DispatchQueue.main)
            .map { String(decoding: $0.data, as: UTF8.self) }
            .sink { [weak self] completion in
                if case .failure(let error) = completion { print("Error: \(error.code.rawValue)") }
                self?.isLoading = false
                whenDone()
            } receiveValue: { [weak self] text in
                self?.lines = text.split(separator: "\n").map(String.init)
            }
            .store(in: &subscriptions)
    }
}

@main
struct Program {
    static func main() async {
        let model = ViewModel()
        let url = URL(string: CommandLine.arguments[1])!.appending(path: "small.txt")
        await withCheckedContinuation { continuation in
            model.load(url) { continuation.resume() }
        }
        print(model.lines.count, model.lines.first ?? "-", model.isLoading)
    }
}
