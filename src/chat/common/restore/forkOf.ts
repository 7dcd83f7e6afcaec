import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { PresentState, RestorePoint } from '../chatPorts';
import type { SessionHead } from '../chatStore';
import { logVersion, type LogRecord } from '../conversation/logRecord';

const titlePrefix = 'Forked: ';

interface Fork {
  readonly head: SessionHead;
  readonly records: readonly LogRecord[];
}

/** The state of a conversation from which another one continues. */
type ForkPoint = Pick<RestorePoint, 'isStopping' | 'recordsBefore' | 'turn'> | PresentState;

/** Returns a conversation that continues another one from before a prompt, or from its present state. */
export function forkOf(source: SessionHead, point: ForkPoint, id: string, at: number): Fork {
  const { recordsBefore } = point;
  const isStopping = 'isStopping' in point && point.isStopping;
  const remoteId = 'remoteId' in point ? point.remoteId : undefined;
  const { backendId } = source;
  const text = noticeOf(source, point);
  // The turn has ended, so no more changes must be added to it.
  const lastCheckpoint = recordsBefore.findLast((record) => record.type === 'checkpoint');
  const records: LogRecord[] = [
    { type: 'begin', at, version: logVersion, id, backendId },
    ...recordsBefore.filter(({ type }) => type !== 'begin'),
    ...(isStopping ? [{ type: 'settled' as const, at }] : []),
    ...(lastCheckpoint ? [{ ...lastCheckpoint, at, folders: [] }] : []),
    { type: 'forked', at, from: source.id },
    ...(remoteId === undefined ? [] : [{ type: 'bound' as const, at, remoteId }]),
    { type: 'notice', at, level: 'info', text },
  ];
  const head = headOf(source, id, at);
  if (!('remoteId' in point)) return { head, records };
  // Both conversations go on, so the list must tell them apart, whatever title the agent has.
  const title = source.title.startsWith(titlePrefix) ? source.title : `${titlePrefix}${source.title}`;
  return { head: { ...head, ...withoutUndefined({ remoteId }), title, titledBy: 'user' }, records };
}

function noticeOf({ backendTitle, title }: SessionHead, point: ForkPoint): string {
  const newSession = `${backendTitle} starts a new session and gets a summary with your next prompt.`;
  if ('turn' in point) {
    return point.turn === 1
      ? `This conversation starts again from the first prompt of “${title}”.`
      : `This conversation continues “${title}” from before prompt ${point.turn}. ${newSession}`;
  }
  const session = point.remoteId === undefined ? newSession : `${backendTitle} continues in a copy of its session.`;
  return `This conversation continues “${title}”, which stays as it is. ${session}`;
}

function headOf(source: SessionHead, id: string, at: number): SessionHead {
  const head: SessionHead = { ...source, id, forkedFrom: source.id, createdAt: at, updatedAt: at, state: 'idle' };
  delete head.remoteId;
  delete head.draft;
  return head;
}
