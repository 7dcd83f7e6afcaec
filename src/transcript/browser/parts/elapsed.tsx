import { useLayoutEffect } from 'preact/hooks';
import { useHostTime } from '../../../webview/browser/hostTime';
import { formatDuration } from './format';
import { useRedraw } from '../transcriptContext';

/** Elapsed time of something that is running. `since` is in the host's time, in milliseconds since the epoch. */
export function ElapsedTime({ since }: { since: number }) {
  const redraw = useRedraw();
  const time = useHostTime();
  useLayoutEffect(() => {
    const timer = setInterval(redraw, 1_000);
    return () => clearInterval(timer);
  }, []);
  const wholeSeconds = Math.floor((time.now() - since) / 1_000);
  return <span class="time">{formatDuration(Math.max(1, wholeSeconds) * 1_000)}</span>;
}
