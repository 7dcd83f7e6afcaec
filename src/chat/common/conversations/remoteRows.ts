import type { ConversationRow } from '../chatView';

const prefix = 'remote:';

export function remoteRowId(backendId: string, remoteId: string): string {
  return `${prefix}${encodeURIComponent(backendId)}:${encodeURIComponent(remoteId)}`;
}

/** Parses the id of a row. Undefined if it is the id of a stored conversation. */
export function parseRemoteRowId(id: string): { backendId: string; remoteId: string } | undefined {
  if (!id.startsWith(prefix)) return undefined;
  const [backendId, remoteId] = id.slice(prefix.length).split(':');
  if (backendId === undefined || remoteId === undefined) return undefined;
  try {
    return { backendId: decodeURIComponent(backendId), remoteId: decodeURIComponent(remoteId) };
  } catch {
    return undefined;
  }
}

/**
 * Removes sessions that another agent lists as well, because two entries of the settings can start the same program. All
 * that agents tell about them must be equal, because an id is unique only in one agent.
 */
export function uniqueSessions(rows: readonly ConversationRow[]): ConversationRow[] {
  const rowBySession = new Map<string, ConversationRow>();
  for (const row of rows) {
    const remoteId = parseRemoteRowId(row.id)?.remoteId;
    const key = remoteId === undefined ? row.id : JSON.stringify([remoteId, row.title, row.updatedAt]);
    if (!rowBySession.has(key)) rowBySession.set(key, row);
  }
  return [...rowBySession.values()];
}
