import { Component } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { EntryItems } from '../entries/entryView';
import { useRedraw, useTranscriptContext } from '../transcriptContext';
import type { TranscriptTurn } from './transcriptModel';

/** Shows turns as articles, for screen readers. A turn is redrawn only when its list of entries changes. */
export function TurnList({ onDrawn }: { readonly onDrawn: () => void }) {
  const { model, options } = useTranscriptContext();
  const redraw = useRedraw();
  useLayoutEffect(() => {
    let drawn = model.turns;
    let drawnLaterCount = model.unloadedLaterCount;
    const subscription = model.onDidChange(() => {
      if (model.turns === drawn && model.unloadedLaterCount === drawnLaterCount) return;
      drawn = model.turns;
      drawnLaterCount = model.unloadedLaterCount;
      redraw();
    });
    redraw();
    return () => subscription.dispose();
  }, [model]);
  useLayoutEffect(onDrawn);
  return (
    <div
      class={model.unloadedLaterCount === 0 ? 'turns has-end' : 'turns'}
      role="feed"
      aria-label={options.label ?? 'Conversation'}
    >
      {model.turns.map((turn) => (
        <TurnView key={turn.key} turn={turn} />
      ))}
    </div>
  );
}

interface TurnProps {
  readonly turn: TranscriptTurn;
}

/**
 * Drawn again only if the turn has changed. A class, because hooks cannot skip drawing, and a virtual node that is used again
 * keeps the list that it was created in.
 */
class TurnView extends Component<TurnProps> {
  override shouldComponentUpdate({ turn }: TurnProps): boolean {
    return turn !== this.props.turn;
  }

  override render({ turn: { turnNumber, items } }: TurnProps) {
    return (
      <article
        class="turn"
        tabIndex={-1}
        aria-posinset={turnNumber + 1}
        aria-setsize={-1}
        aria-label={turnNumber === 0 ? 'Before the first prompt' : `Turn ${turnNumber}`}
      >
        <EntryItems items={items} />
      </article>
    );
  }
}
