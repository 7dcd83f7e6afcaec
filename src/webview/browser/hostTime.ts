import { createContext } from 'preact';
import { useRequiredContext } from './hooks/useRequiredContext';

/**
 * The host's clock, estimated from its messages. All times from the host use it. If the host runs on another machine,
 * it may differ from the page's clock by minutes.
 */
export class HostTime {
  private offsetMs = 0;

  /** Updates the estimate. `hostNow` is the current time of the host, in milliseconds since the epoch. */
  synchronize(hostNow: number): void {
    this.offsetMs = hostNow - Date.now();
  }

  /** Returns the current time of the host, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.offsetMs;
  }
}

export const HostTimeContext = createContext<HostTime | undefined>(undefined);

export function useHostTime(): HostTime {
  return useRequiredContext(HostTimeContext, 'time');
}
