@_exported import URLLoading
