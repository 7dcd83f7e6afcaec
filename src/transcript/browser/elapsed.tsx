import { useLayoutEffect } from 'preact/hooks';
import { formatDuration } from './format';
import { useRedraw } from './transcriptContext';

/** Seconds that pass while something runs; `since` in milliseconds since the epoch. */
export function Elapsed({ since }: { since: number }) {
  const redraw = useRedraw();
  useLayoutEffect(() => {
    const timer = setInterval(redraw, 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span class="time">{formatDuration(Math.max(1_000, Math.floor((Date.now() - since) / 1_000) * 1_000))}</span>;
}
