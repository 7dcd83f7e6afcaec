import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { nameOfMoment } from './restoreHistory';
import type { PresentForkPoint, RestorePoint } from './restorePorts';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import { BackendError } from '../../../session/common/sessionBackend';
import type { NewSessionOptionsPort } from '../conversations/newSessionOptionsPort';
import { requireHoldsReadOnly } from '../conversation/backendConnection';
import type { Clock } from '../../../base/common/async';
import type { Chat, ForkAgent } from '../chatPorts';
import type { ChatStore, ConversationHead } from '../chatStore';
import type { Draft } from '../chatView';
import { logVersion, type LogRecord } from '../conversation/logRecord';

const titlePrefix = 'Forked: ';

interface Fork {
  readonly head: ConversationHead;
  readonly records: readonly LogRecord[];
}

/** The state of a conversation from which another one continues. */
type ForkPoint = Pick<RestorePoint, 'isInTurn' | 'isStopping' | 'recordsBefore' | 'turn'> | PresentForkPoint;

interface ForkPorts {
  readonly clock: Clock;
  readonly store: Pick<ChatStore, 'add' | 'heads' | 'read'>;
  readonly backends: Pick<BackendRegistry, 'open'>;
  readonly sessionDefaults: Pick<NewSessionOptionsPort, 'of'>;
  newId(): string;
}

/**
 * Adds a conversation that continues `source` from before the prompt of an entry, or from its present state, or a side question
 * about it. Resolves to its id, and to what its draft should be.
 * @throws ChatError, BackendError, after the copy of the session was discarded
 */
export async function addFork(
  source: Pick<Chat, 'draft' | 'id' | 'restores' | 'view'>,
  entryId: string | undefined,
  ports: ForkPorts,
  how?: ForkAgent | 'aside',
): Promise<{ readonly id: string; readonly draft: Draft | undefined }> {
  const { restores } = source;
  if (how === 'aside') {
    await requireAsks(source.view, ports);
    return { id: await addForkFrom(source, await restores.copyForAside(), ports, how), draft: undefined };
  }
  const agent = how;
  if (entryId !== undefined) {
    const point = await restores.restorePointBefore(entryId);
    return { id: await addForkFrom(source, point, ports, agent), draft: point.draft };
  }
  const point = await restores.copyPresentState(!agent);
  const id = await addForkFrom(source, point, ports, agent);
  // A prompt that was not accepted is back in the draft of the source, and is what another agent should do.
  const prompt = source.view.status === 'failed' ? source.draft : point.draft;
  return { id, draft: agent && prompt };
}

/** @throws BackendError `unsupported` if the agent could not be kept from writing */
export async function requireAsks(
  { backendId }: Pick<Chat['view'], 'backendId'>,
  { backends, sessionDefaults }: ForkPorts,
): Promise<void> {
  const backend = await backends.open(backendId);
  requireHoldsReadOnly(backend);
  if (sessionDefaults.of(backendId).observedUnattendedAction === undefined) return;
  const message = `${backend.title} has changed files or run commands without asking, and offers no mode in which it asks. So it can’t be asked aside.`;
  throw new BackendError('unsupported', message);
}

async function addForkFrom(
  { id: sourceId, restores }: Pick<Chat, 'id' | 'restores'>,
  point: ForkPoint,
  ports: ForkPorts,
  how?: ForkAgent | 'aside',
): Promise<string> {
  const { clock, store } = ports;
  try {
    const { head } = await store.read(sourceId);
    const titles = new Set(store.heads.map(({ title }) => title));
    const isAside = how === 'aside';
    const agent = how && !isAside ? how : head;
    const aside = asideOf(head, point, how);
    const fork = forkOf(head, point, { id: ports.newId(), at: clock.now(), titles, agent, isAside, aside });
    await store.add(fork.head, fork.records, sourceId);
    return fork.head.id;
  } catch (error) {
    if ('remoteId' in point) await restores.discardCopy(point);
    throw error;
  }
}

interface NewFork {
  readonly id: string;
  readonly at: number;
  /** Titles of all conversations. */
  readonly titles: ReadonlySet<string>;
  /** The agent that continues the conversation. */
  readonly agent: ForkAgent;
  /** Whether it is a new side question, and what its head says if it is one. */
  readonly isAside: boolean;
  readonly aside: ConversationHead['aside'];
}

/** To fork a side question itself is to go on with changes. Its prompts and its agent can be replaced without that. */
function asideOf(
  source: ConversationHead,
  point: ForkPoint,
  how: ForkAgent | 'aside' | undefined,
): ConversationHead['aside'] {
  if (how === 'aside') return { about: source.title };
  return how || 'turn' in point ? source.aside : undefined;
}

/** What an agent has told of itself, which another agent does not have. */
const ofAgent: ReadonlySet<string> = new Set(['config:update', 'commands:update', 'usage:update', 'session:info']);

function forkOf(source: ConversationHead, point: ForkPoint, { agent, aside, at, id, isAside, titles }: NewFork): Fork {
  const { backendId, backendTitle } = agent;
  const { preset } = source;
  const isOtherAgent = backendId !== source.backendId;
  const recordsBefore = point.recordsBefore.filter(
    (record) => !isOtherAgent || record.type !== 'event' || !ofAgent.has(record.event.event),
  );
  // The ends of the turns before name the agent that they are about.
  const begin = recordsBefore.find((record) => record.type === 'begin');
  const first = begin?.backendTitle ?? (isOtherAgent ? source.backendTitle : undefined);
  const isStopping = 'isStopping' in point && point.isStopping;
  const isInTurn = 'isInTurn' in point && point.isInTurn;
  const remoteId = 'remoteId' in point ? point.remoteId : undefined;
  const text = isAside ? asideNotice(backendTitle, remoteId) : noticeOf({ ...source, backendTitle }, point);
  // The turn has ended, so no more changes must be added to it.
  const lastCheckpoint = recordsBefore.findLast((record) => record.type === 'checkpoint');
  const records: LogRecord[] = [
    { type: 'begin', at, version: logVersion, id, backendId, ...withoutUndefined({ backendTitle: first, preset }) },
    ...recordsBefore.filter(({ type }) => type !== 'begin'),
    ...(isStopping ? [{ type: 'settled' as const, at }] : []),
    ...(isInTurn ? [{ type: 'stopped' as const, at, inBackend: false }] : []),
    ...(lastCheckpoint ? [{ type: 'checkpoint' as const, at, turn: lastCheckpoint.turn, folders: [] }] : []),
    {
      type: 'forked',
      at,
      from: source.id,
      ...(isOtherAgent && { backendTitle }),
      ...(aside && { aside: aside.about }),
    },
    ...(remoteId === undefined ? [] : [{ type: 'bound' as const, at, remoteId }]),
    { type: 'notice', at, level: 'info', text },
  ];
  const head = headOf({ ...source, backendId, backendTitle }, id, at, aside);
  // Both conversations stay in the list, so their titles must differ, even if the agent suggests another title. The source
  // keeps its title, because it continues if the restore is undone; the title of the new one says that it was restored.
  const title = isAside
    ? distinctTitle(`Aside: ${source.title}`, titles)
    : 'turn' in point
      ? restoredTitle(source.title, point.turn, titles)
      : forkTitle(source.title, titles);
  // A conversation that starts again gets its title from its next prompt.
  const titledBy = 'turn' in point && point.turn === 1 && !isInTurn && source.titledBy !== 'user' ? 'prompt' : 'user';
  return { head: { ...head, ...withoutUndefined({ remoteId }), title, titledBy }, records };
}

/** The fork of a fork gets the next number, not a second prefix. */
function forkTitle(source: string, titles: ReadonlySet<string>): string {
  const title = source.startsWith(titlePrefix) ? source.replace(/ \(\d+\)$/u, '') : `${titlePrefix}${source}`;
  return distinctTitle(title, titles);
}

/** The title of what continues from before a prompt. A second restore replaces the prompt in it. */
function restoredTitle(source: string, turn: number, titles: ReadonlySet<string>): string {
  const title = source.replace(/ \(from prompt \d+\)(?: \(\d+\))?$/u, '');
  return distinctTitle(`${title} (from prompt ${turn})`, titles);
}

/** Returns the title with a number if another conversation has it. */
function distinctTitle(title: string, titles: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? title : `${title} (${number})`;
    if (!titles.has(numbered)) return numbered;
  }
}

function asideNotice(agent: string, remoteId: string | undefined): string {
  const isCopy = remoteId !== undefined;
  return `${agent} answers side questions in ${isCopy ? 'a copy of its session' : 'a new session and gets a summary with the first one'}.`;
}

function noticeOf({ backendTitle, title }: ConversationHead, point: ForkPoint): string {
  const newSession = `${backendTitle} starts a new session and gets a summary with your next prompt.`;
  if ('turn' in point) {
    return point.turn === 1 && !point.isInTurn
      ? `This conversation starts again from the first prompt of “${title}”.`
      : `This conversation continues “${title}” from ${nameOfMoment(point)}. ${newSession}`;
  }
  const session = point.remoteId === undefined ? newSession : `${backendTitle} continues in a copy of its session.`;
  return `This conversation continues “${title}”, which stays as it is. ${session}`;
}

function headOf(source: ConversationHead, id: string, at: number, aside: ConversationHead['aside']): ConversationHead {
  const head: ConversationHead = { ...source, id, forkedFrom: source.id, createdAt: at, updatedAt: at, state: 'idle' };
  delete head.remoteId;
  delete head.draft;
  delete head.isTurnOpen;
  delete head.isUnseen;
  delete head.aside;
  if (!aside) return head;
  delete head.changes;
  return { ...head, aside };
}
