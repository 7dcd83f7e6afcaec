import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useRedraw } from '../../../transcript/browser/transcriptContext';

/** Minimum time an approval must be visible. An earlier key press or click was probably meant for something else. */
const minShownMs = 500;
const warningMs = 10_000;

/**
 * Returns a function that checks whether an answer can be deliberate. `change` must be a new value whenever the content
 * under the pointer may have changed.
 */
export function useAccidentalAnswerGuard(change: string): () => boolean {
  const shownAt = useRef(0);
  useLayoutEffect(() => {
    shownAt.current = performance.now();
  }, [change]);
  return () => performance.now() - shownAt.current >= minShownMs;
}

export interface Countdown {
  readonly remainingMs: number;
  readonly isEndingSoon: boolean;
}

/** Returns the remaining time, updated every second. At zero, an answer still counts until the host removes it. */
export function useAnswerCountdown(expiresInMs: number | undefined): Countdown | undefined {
  const redraw = useRedraw();
  const endsAt = useMemo(() => performance.now() + (expiresInMs ?? 0), [expiresInMs]);
  const isCounting = expiresInMs !== undefined;
  useEffect(() => {
    if (!isCounting) return undefined;
    const timer = window.setInterval(redraw, 1_000);
    return () => window.clearInterval(timer);
  }, [isCounting]);
  if (!isCounting) return undefined;
  const remainingMs = Math.max(endsAt - performance.now(), 0);
  return { remainingMs, isEndingSoon: remainingMs <= warningMs };
}
