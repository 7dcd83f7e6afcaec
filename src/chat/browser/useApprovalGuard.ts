import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** So long after a question appeared an answer is taken for a key or a click that was meant for something else. */
const guardMs = 500;
const warnMs = 10_000;

/** Whether an answer to what has the id, shown just now, can be meant. */
export function useApprovalGuard(id: string): () => boolean {
  const shownAt = useRef(0);
  useLayoutEffect(() => {
    shownAt.current = performance.now();
  }, [id]);
  return () => performance.now() - shownAt.current >= guardMs;
}

export interface Countdown {
  readonly leftMs: number;
  /** It ends within seconds. */
  readonly isShort: boolean;
}

/** How long until then, told every second. */
export function useCountdown(expiresAt: number | undefined): Countdown | undefined {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (expiresAt === undefined) return undefined;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), 1_000);
    return () => window.clearInterval(timer);
  }, [expiresAt]);
  if (expiresAt === undefined) return undefined;
  const leftMs = expiresAt - now;
  return { leftMs, isShort: leftMs <= warnMs };
}
