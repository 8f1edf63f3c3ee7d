@_exported import URLLoadingCombine
