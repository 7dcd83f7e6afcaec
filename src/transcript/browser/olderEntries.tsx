import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countOf } from './format';
import { useRedraw, useTranscript } from './transcriptContext';

/** How many entries come at once. */
const pageSize = 40;

/** What comes before the first entry: it is fetched when the reader comes near, or asks. */
export function OlderEntries({ scroller }: { scroller: RefObject<HTMLElement | null> }) {
  const { model, actions } = useTranscript();
  const marker = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  /** How many there were when they were last asked for without the button. */
  const askedBefore = useRef<number | undefined>(undefined);
  const redraw = useRedraw();
  const { before } = model;
  const load = (): void => {
    if (state === 'busy') return;
    setState('busy');
    actions.loadOlder(pageSize).then(
      () => setState('idle'),
      () => setState('failed'),
    );
  };
  useLayoutEffect(() => {
    let drawn = model.before;
    const subscription = model.onDidChange(() => {
      if (model.before === drawn) return;
      drawn = model.before;
      redraw();
    });
    redraw();
    return () => subscription.dispose();
  }, [model]);
  // Anew for each page, since a marker that stays in sight says nothing. What failed or brought nothing waits for the button.
  useEffect(() => {
    if (before === 0 || state !== 'idle' || askedBefore.current === before || !marker.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        askedBefore.current = before;
        load();
      },
      { root: scroller.current, rootMargin: '400px 0px 0px 0px' },
    );
    observer.observe(marker.current);
    return () => observer.disconnect();
  }, [model, before, state]);
  return (
    <div class="older" ref={marker}>
      {before > 0 && (
        <button type="button" class="text-button" aria-busy={state === 'busy'} onClick={load}>
          {state === 'failed'
            ? 'Could not load earlier messages: try again'
            : `Show earlier (${countOf(before, 'more', 'more')})`}
        </button>
      )}
    </div>
  );
}
