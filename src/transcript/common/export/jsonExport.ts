import type { Entry } from '../entries';
import type { ExportHeader } from './exportHeader';

/**
 * Version of the export format. Version 1: `{ format: "backline-transcript", version, title, who, createdAt?,
 * updatedAt?, thread?, entries }`. Times are RFC 3339, `thread` is declared in `exportedThread.ts` and `entries` in
 * `entries.ts`. Fields may be added within a version.
 */
const version = 1;

export function toJsonExport(
  { createdAt, thread, title, updatedAt, agentName }: ExportHeader,
  entries: readonly Entry[],
): string {
  const file = {
    format: 'backline-transcript',
    version,
    title,
    who: agentName,
    ...(createdAt === undefined ? {} : { createdAt: new Date(createdAt).toISOString() }),
    ...(updatedAt === undefined ? {} : { updatedAt: new Date(updatedAt).toISOString() }),
    ...(thread === undefined ? {} : { thread }),
    entries,
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
