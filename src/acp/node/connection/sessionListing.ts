import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { SessionSummary } from '../../../session/common/sessionBackend';
import type { SessionListResult } from '../../common/session/wireSchema';

type Page = SessionListResult;

const maxPages = 20;

/** Requests the pages of `session/list`, up to a limit. Returns the newest session first. */
export async function listAllSessions(
  cwd: string | undefined,
  requestPage: (params: { cwd?: string; cursor?: string }) => Promise<Page>,
): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const list = await requestPage(withoutUndefined({ cwd, cursor }));
    found.push(...list.sessions.map(toSummary));
    cursor = list.nextCursor;
    if (cursor === undefined) break;
  }
  return found.sort((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? ''));
}

function toSummary({ sessionId, cwd, title, updatedAt }: Page['sessions'][number]): SessionSummary {
  return { id: sessionId, ...withoutUndefined({ title, cwd, updatedAt }) };
}
