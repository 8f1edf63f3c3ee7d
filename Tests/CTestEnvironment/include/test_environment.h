#ifndef URL_LOADING_TEST_ENVIRONMENT_H
#define URL_LOADING_TEST_ENVIRONMENT_H

/// The directory of this test process, in which XDG_DATA_HOME, XDG_CACHE_HOME and XDG_STATE_HOME are: tests and what they start never
/// touch the user's. It is set before anything of Swift runs, and removed when the process exits. Children share their parent's.
const char *url_loading_test_directory(void);

#endif
