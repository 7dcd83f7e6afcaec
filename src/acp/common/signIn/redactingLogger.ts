import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';

/** Passes all log messages through `redact`. Errors lose their stack, which repeats their message. */
export function redactingLogger(log: Logger, redact: (text: string) => string): Logger {
  return {
    trace: (message) => log.trace(redact(message)),
    debug: (message) => log.debug(redact(message)),
    info: (message) => log.info(redact(message)),
    warn: (message) => log.warn(redact(message)),
    error: (message, error) => log.error(redact(error === undefined ? message : `${message}: ${messageOf(error)}`)),
    child: (area) => redactingLogger(log.child(area), redact),
  };
}
