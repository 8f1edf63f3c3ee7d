import URLLoading

extension URLSession { static var loadingExecutor: any TaskExecutor { globalConcurrentExecutor } }
