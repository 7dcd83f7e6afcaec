import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useRedraw } from '../../../transcript/browser/transcriptContext';

/** An answer within this time after something came under the pointer was a key or a click for something else. */
const guardMs = 500;
const warnMs = 10_000;

/**
 * Whether the user can have meant to answer what is in view. `change` is another text whenever other answers may have come
 * where the pointer is.
 */
export function useApprovalGuard(change: string): () => boolean {
  const shownAt = useRef(0);
  useLayoutEffect(() => {
    shownAt.current = performance.now();
  }, [change]);
  return () => performance.now() - shownAt.current >= guardMs;
}

export interface Countdown {
  readonly leftMs: number;
  /** It ends within seconds. */
  readonly isShort: boolean;
}

/**
 * How long until it expires, every second. Only the host knows when it has: it then takes the question away, and until then
 * it waits for the answer.
 */
export function useCountdown(expiresInMs: number | undefined): Countdown | undefined {
  const redraw = useRedraw();
  const endsAt = useMemo(() => performance.now() + (expiresInMs ?? 0), [expiresInMs]);
  const isCounting = expiresInMs !== undefined;
  useEffect(() => {
    if (!isCounting) return undefined;
    const timer = window.setInterval(redraw, 1_000);
    return () => window.clearInterval(timer);
  }, [isCounting]);
  if (!isCounting) return undefined;
  const leftMs = Math.max(endsAt - performance.now(), 0);
  return { leftMs, isShort: leftMs <= warnMs };
}
