import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { VNode } from 'preact';
import { EntryView } from '../entries/entryView';
import { useRedraw, useTranscript } from '../transcriptContext';
import type { TranscriptTurn } from './transcriptModel';

/** Shows turns as articles, for screen readers. A turn is redrawn only when its list of entries changes. */
export function TurnList({ onDrawn }: { readonly onDrawn: () => void }) {
  const { model, options } = useTranscript();
  const redraw = useRedraw();
  const views = useRef(new WeakMap<TranscriptTurn, VNode>());
  useLayoutEffect(() => {
    let drawn = model.turns;
    const subscription = model.onDidChange(() => {
      if (model.turns === drawn) return;
      drawn = model.turns;
      redraw();
    });
    redraw();
    return () => subscription.dispose();
  }, [model]);
  useLayoutEffect(onDrawn);
  return (
    <div class="turns" role="feed" aria-label={options.label ?? 'Conversation'}>
      {model.turns.map((turn) => {
        const view = views.current.get(turn) ?? <TurnView key={turn.key} turn={turn} />;
        views.current.set(turn, view);
        return view;
      })}
    </div>
  );
}

function TurnView({ turn: { turnNumber, entryIds } }: { turn: TranscriptTurn }) {
  const entries = useMemo(() => entryIds.map((id) => <EntryView key={id} id={id} />), [entryIds]);
  return (
    <article
      class="turn"
      tabIndex={-1}
      aria-posinset={turnNumber + 1}
      aria-setsize={-1}
      aria-label={turnNumber === 0 ? 'Before the first prompt' : `Turn ${turnNumber}`}
    >
      {entries}
    </article>
  );
}
