import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/**
 * The host's clock, estimated from its messages. It may differ from the page's clock by minutes when the host runs on
 * another machine, and all timestamps from the host use it.
 */
export class HostTime {
  private offsetMs = 0;

  /** Updates the estimate. `hostNow` is the host's time, in milliseconds since the epoch. */
  synchronize(hostNow: number): void {
    this.offsetMs = hostNow - Date.now();
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.offsetMs;
  }
}

export const HostTimeContext = createContext<HostTime | undefined>(undefined);

export function useHostTime(): HostTime {
  const time = useContext(HostTimeContext);
  if (!time) throw new Error('useHostTime needs a HostTimeContext.');
  return time;
}
