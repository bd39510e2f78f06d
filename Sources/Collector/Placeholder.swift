import Crypto
import Hummingbird
import HummingbirdTLS
import Logging
import Metrics
import ServiceLifecycle
