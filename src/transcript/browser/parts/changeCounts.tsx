import { formatCountWithNoun } from './format';

interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export function ChangeCounts({ changes }: { changes: readonly LineCounts[] }) {
  const added = changes.reduce((sum, change) => sum + change.added, 0);
  const removed = changes.reduce((sum, change) => sum + change.removed, 0);
  return (
    <span
      class="counts"
      role="img"
      aria-label={`${formatCountWithNoun(added, 'line')} added, ${formatCountWithNoun(removed, 'line')} removed`}
    >
      <span class="added">{`+${added}`}</span> <span class="removed">{`−${removed}`}</span>
    </span>
  );
}
