import { countOf } from './format';

interface Counted {
  readonly added: number;
  readonly removed: number;
}

/** `+12 −4`, of one change or several. */
export function ChangeCounts({ changes }: { changes: readonly Counted[] }) {
  const added = changes.reduce((sum, change) => sum + change.added, 0);
  const removed = changes.reduce((sum, change) => sum + change.removed, 0);
  return (
    <span class="counts" role="img" aria-label={`${countOf(added, 'line')} added, ${countOf(removed, 'line')} removed`}>
      <span class="added">{`+${added}`}</span> <span class="removed">{`−${removed}`}</span>
    </span>
  );
}
