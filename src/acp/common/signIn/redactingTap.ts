import type { TrafficTap } from '../../../wire/common/traffic';

/** Passes the names of an agent's messages through `redact`, because the agent chooses them. */
export function redactingTap(tap: TrafficTap, redact: (text: string) => string): TrafficTap {
  return {
    get isRecording() {
      return tap.isRecording;
    },
    record: (entry) => tap.record({ ...entry, method: redact(entry.method) }),
  };
}
