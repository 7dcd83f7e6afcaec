import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countOf } from '../parts/format';
import { useRedraw, useTranscript } from '../transcriptContext';

/** How many entries come at once. */
const pageSize = 40;

interface MoreEntriesProps {
  readonly scroller: RefObject<HTMLElement | null>;
  /** Before the first entry, or after the last one. */
  readonly side: 'before' | 'after';
}

const sides = {
  before: { word: 'earlier', margin: '400px 0px 0px 0px' },
  after: { word: 'later', margin: '0px 0px 400px 0px' },
} as const;

/** Entries that are not loaded: they are fetched when the reader comes near, or asks. */
export function MoreEntries({ scroller, side }: MoreEntriesProps) {
  const { model, actions } = useTranscript();
  const marker = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  /** How many there were when they were last asked for without the button. */
  const askedAt = useRef<number | undefined>(undefined);
  const redraw = useRedraw();
  const count = model[side];
  const { word, margin } = sides[side];
  const fetchMore = side === 'before' ? actions.loadOlder : actions.loadLater;
  const load = (): void => {
    if (state === 'busy' || !fetchMore) return;
    setState('busy');
    fetchMore(pageSize).then(
      () => setState('idle'),
      () => setState('failed'),
    );
  };
  useLayoutEffect(() => {
    let drawn = model[side];
    const subscription = model.onDidChange(({ isReset }) => {
      // Other entries may have as many before them.
      if (isReset) askedAt.current = undefined;
      if (model[side] === drawn && !isReset) return;
      drawn = model[side];
      redraw();
    });
    redraw();
    return () => subscription.dispose();
  }, [model, side]);
  // Anew for each page, since a marker that stays in sight says nothing. What failed or brought nothing waits for the button.
  useEffect(() => {
    if (count === 0 || state !== 'idle' || askedAt.current === count || !marker.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        askedAt.current = count;
        load();
      },
      { root: scroller.current, rootMargin: margin },
    );
    observer.observe(marker.current);
    return () => observer.disconnect();
  }, [model, count, state]);
  return (
    <div class="more" ref={marker}>
      {count > 0 && fetchMore && (
        <button type="button" class="text-button" aria-busy={state === 'busy'} onClick={load}>
          {state === 'failed'
            ? `Could not load ${word} messages: try again`
            : `Show ${word} (${countOf(count, 'more', 'more')})`}
        </button>
      )}
    </div>
  );
}
