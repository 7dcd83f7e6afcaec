import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { BackendView, ConversationRow } from '../chatView';
import { uniqueSessions } from '../conversations/remoteRows';
import type { ListedGroup } from './listItems';

interface StoredFacts {
  readonly backends: readonly BackendView[];
  /** All rows of the list. */
  readonly rows: ReadonlyMap<string, ConversationRow>;
  /** What agents have listed on request. */
  readonly listed: readonly ConversationRow[];
  /** What is known of the listing of an agent, in words. */
  readonly noteOf: (backendId: string) => string | undefined;
  readonly isExpanded: (groupKey: string) => boolean;
}

/** Groups the conversations that only agents store, by agent: also of agents that have not been asked yet. */
export function storedGroups({ backends, rows, listed, noteOf, isExpanded }: StoredFacts): ListedGroup[] {
  const told = [...rows.values()].filter(({ remote }) => remote === true);
  const unknown = listed.filter(({ id }) => !rows.has(id));
  const byBackend = Map.groupBy(uniqueSessions([...told, ...unknown]), ({ backendId }) => backendId);
  const titles = new Map(backends.filter(canList).map(({ id, title }) => [id, title]));
  for (const [id, [row]] of byBackend) if (row) titles.set(id, row.backendTitle);
  return [...titles].map(([backendId, title]) => {
    const found = (byBackend.get(backendId) ?? []).toSorted((one, other) => other.updatedAt - one.updatedAt);
    const key = storedGroupKey(backendId);
    return {
      key,
      title: `Stored by ${title}`,
      rows: found,
      count: found.length > 0 ? found.length : undefined,
      isExpanded: isExpanded(key),
      backendId,
      ...withoutUndefined({ note: noteOf(backendId) }),
    };
  });
}

function storedGroupKey(backendId: string): string {
  return `stored ${backendId}`;
}

/** Whether an agent can list what it stores. Servers tell what they have by themselves. */
function canList({ cannotList, problem, source }: BackendView): boolean {
  return cannotList !== true && problem === undefined && source !== 'demo' && source !== 'server';
}
