import { useLayoutEffect } from 'preact/hooks';
import { useHostTime } from '../../../webview/browser/hostTime';
import { formatDuration } from './format';
import { useRedraw } from '../transcriptContext';

/** Shows how long something has been running. `since`: milliseconds since the epoch, by the host's clock. */
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
