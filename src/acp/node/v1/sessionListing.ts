import type * as z from 'zod';
import type { SessionSummary } from '../../../session/common/sessionBackend';
import type { SessionList } from '../../common/v1/v1Schema';

type Page = z.infer<typeof SessionList>;

const maxPages = 20;

/** Asks for one page of `session/list` after the other. The newest conversation is first. */
export async function allSessions(
  cwd: string | undefined,
  askForPage: (params: { cwd?: string; cursor?: string }) => Promise<Page>,
): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = { ...(cwd === undefined ? {} : { cwd }), ...(cursor === undefined ? {} : { cursor }) };
    const list = await askForPage(params);
    found.push(...list.sessions.map(toSummary));
    cursor = list.nextCursor;
    if (cursor === undefined) break;
  }
  return found.sort((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? ''));
}

function toSummary({ sessionId, cwd, title, updatedAt }: Page['sessions'][number]): SessionSummary {
  return {
    id: sessionId,
    ...(title === undefined ? {} : { title }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}
