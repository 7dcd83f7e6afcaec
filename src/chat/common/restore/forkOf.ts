import type { RestorePoint } from '../chatPorts';
import type { SessionHead } from '../chatStore';
import { logVersion, type LogRecord } from '../conversation/logRecord';

interface Fork {
  readonly head: SessionHead;
  readonly records: readonly LogRecord[];
}

/** Returns a conversation that continues another one from before a prompt. */
export function forkOf(source: SessionHead, point: RestorePoint, id: string, at: number): Fork {
  const { isStopping, recordsBefore, turn } = point;
  const { backendId, backendTitle, title } = source;
  const isFirst = turn === 1;
  const text = isFirst
    ? `This conversation starts again from the first prompt of “${title}”.`
    : `This conversation continues “${title}” from before prompt ${turn}. ${backendTitle} starts a new session and gets a summary with your next prompt.`;
  // The turn has ended, so no more changes must be added to it.
  const lastCheckpoint = recordsBefore.findLast((record) => record.type === 'checkpoint');
  const records: LogRecord[] = [
    { type: 'begin', at, version: logVersion, id, backendId },
    ...recordsBefore.filter(({ type }) => type !== 'begin'),
    ...(isStopping ? [{ type: 'settled' as const, at }] : []),
    ...(lastCheckpoint ? [{ ...lastCheckpoint, at, folders: [] }] : []),
    { type: 'forked', at, from: source.id },
    { type: 'notice', at, level: 'info', text },
  ];
  return { head: headOf(source, id, at), records };
}

function headOf(source: SessionHead, id: string, at: number): SessionHead {
  const head: SessionHead = { ...source, id, forkedFrom: source.id, createdAt: at, updatedAt: at, state: 'idle' };
  delete head.remoteId;
  delete head.draft;
  return head;
}
