import { SessionNormalizer, type NormalizerOptions } from '../../src/session/common/normalize/sessionNormalizer';
import type { SessionEvent } from '../../src/session/common/sessionEvents';

/** Events of a session as its log has them. */
export function normalized(events: readonly SessionEvent[], options: NormalizerOptions = {}): SessionEvent[] {
  const told: SessionEvent[] = [];
  const normalizer = new SessionNormalizer((event) => told.push(event), options);
  for (const event of events) normalizer.normalize(event);
  return told;
}
