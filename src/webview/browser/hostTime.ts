import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/**
 * The host's clock, as far as the page knows it. The two may differ by minutes when the window is on another machine, and
 * every moment that the host sends is a moment of its own clock.
 */
export class HostTime {
  private aheadMs = 0;

  /** A message has arrived that says what time it is for the host. */
  heard(hostNow: number): void {
    this.aheadMs = hostNow - Date.now();
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.aheadMs;
  }
}

export const HostTimeContext = createContext<HostTime | undefined>(undefined);

export function useHostTime(): HostTime {
  const time = useContext(HostTimeContext);
  if (!time) throw new Error('Times are drawn inside a HostTimeContext.');
  return time;
}
