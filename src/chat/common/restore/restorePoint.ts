import type { FolderCheckpoint } from '../../../changes/common/workspaceCheckpoints';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import type { MomentBeforePrompt } from './restorePorts';
import type { Draft } from '../chatView';
import { isOfQueue, type LogRecord } from '../conversation/logRecord';
import { ChatTranscript } from '../transcript/chatTranscript';

const fileTypes: ReadonlySet<LogRecord['type']> = new Set<LogRecord['type']>([
  'checkpoint',
  'stateChanged',
  'snapshot',
  'written',
  'attributed',
  'unlisted',
  'rebased',
  'hunkUndone',
  'changed',
  'turnReverted',
  'fileDecided',
  'changesReplaced',
  'restored',
  'undoDone',
]);

/**
 * Returns the moment before the prompt of a turn, or before the prompt `steeredId` that has joined it. Undefined if there is no such
 * prompt.
 */
export function momentBeforePrompt(
  records: readonly LogRecord[],
  turn: number,
  steeredId?: string,
): MomentBeforePrompt | undefined {
  const { draft, promptAt } = steeredId === undefined ? findPrompt(records, turn) : findSteered(records, steeredId);
  if (!draft || promptAt === undefined) return undefined;
  const { folders, readyAt } = findStart(records, promptAt, turn, steeredId);
  // Changes of the previous turn can be recorded after the prompt, but before its checkpoint is taken.
  const late = records.slice(promptAt, readyAt).filter(({ type }) => fileTypes.has(type));
  const before = records.slice(0, promptAt).filter((record) => !isOfQueue(record));
  const others = records.slice(promptAt, readyAt).filter(({ type }) => !fileTypes.has(type));
  return {
    draft,
    folders,
    recordsBefore: [...before, ...late],
    recordsSince: [...others, ...records.slice(readyAt)],
    isStopping: replay(before, () => undefined).isStopping,
    isInTurn: steeredId !== undefined,
  };
}

/** Returns the records with which another conversation continues from the present state. */
export function recordsWithoutQueuedPrompts(records: readonly LogRecord[]): readonly LogRecord[] {
  return records.filter((record) => !isOfQueue(record));
}

/** Returns the records of what was said, for a side question: without files and queued prompts, and with an end of each turn. */
export function recordsForAside(records: readonly LogRecord[]): readonly LogRecord[] {
  const said = recordsWithoutQueuedPrompts(records).filter(({ type }) => !fileTypes.has(type));
  const at = said.at(-1)?.at ?? 0;
  const { approvals, isBusy, isStopping } = replay(said, () => undefined);
  const text = 'The turn goes on in the first conversation. What follows there is not known here.';
  return [
    ...said,
    ...(isStopping ? [{ type: 'settled' as const, at }] : []),
    ...(isBusy || approvals.count > 0 ? [{ type: 'ended' as const, at, outcome: 'interrupted' as const, text }] : []),
  ];
}

/** Returns the absolute paths of files that were changed while a command ran, by it or by somebody else. */
export function pathsByCommand(records: readonly LogRecord[]): ReadonlySet<string> {
  return new Set(
    records.flatMap((record) => {
      if (record.type === 'attributed') return [record.path];
      return record.type === 'unlisted' ? record.paths : [];
    }),
  );
}

/** Returns the absolute paths of files that the agent has written, including those of its commands. */
export function writtenPaths(records: readonly LogRecord[]): ReadonlySet<string> {
  return new Set(
    records.flatMap((record) => {
      if (record.type === 'written') return [record.path];
      if (record.type === 'unlisted') return record.paths;
      return record.type === 'stateChanged'
        ? [record.path, ...(record.renamedFrom === undefined ? [] : [record.renamedFrom])]
        : [];
    }),
  );
}

/** Returns the checkpoints before the first change of one of these files that was neither kept nor undone since. */
export function checkpointsBeforeChanges(
  records: readonly LogRecord[],
  paths: readonly string[],
): readonly FolderCheckpoint[] {
  const startByPath = new Map<string, readonly FolderCheckpoint[]>();
  let folders: readonly FolderCheckpoint[] = [];
  for (const record of records) {
    if (record.type === 'checkpoint' && record.folders.length > 0) folders = record.folders;
    else if (record.type === 'fileDecided') startByPath.delete(record.path);
    else if ((record.type === 'written' || record.type === 'stateChanged') && !startByPath.has(record.path)) {
      startByPath.set(record.path, folders);
    }
  }
  const wanted = new Set(paths);
  return [...startByPath].find(([path]) => wanted.has(path))?.[1] ?? [];
}

/** Returns the files that each turn has changed, the newest turn first. */
export function changedPathsByTurn(records: readonly LogRecord[]): ReadonlyMap<number, readonly string[]> {
  const byTurn = new Map<number, readonly string[]>();
  for (const record of records) {
    if (record.type === 'changed')
      byTurn.set(
        record.turn,
        record.changes.map(({ path }) => path),
      );
  }
  return new Map([...byTurn].sort(([one], [other]) => other - one));
}

/** Returns the ids of the stored texts that the records refer to. */
export function referencedTextIds(records: readonly LogRecord[]): ReadonlySet<string> {
  const ids = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      if (/^[0-9a-f]{64}$/.test(value)) ids.add(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) collect(member);
    }
  };
  for (const record of records) if (fileTypes.has(record.type)) collect(record);
  return ids;
}

interface FoundPrompt {
  readonly draft: Draft | undefined;
  /** Index of the record of the prompt. */
  readonly promptAt: number | undefined;
}

function findPrompt(records: readonly LogRecord[], turn: number): FoundPrompt {
  let known = 0;
  let promptAt: number | undefined;
  const { prompts } = replay(records, (transcript, index) => {
    const count = transcript.prompts.length;
    // If a prompt was withdrawn, the next prompt has the same number and replaces it.
    if (count > known && count === turn) promptAt = index;
    known = count;
  });
  return { draft: prompts[turn - 1]?.draft, promptAt };
}

function findSteered(records: readonly LogRecord[], id: string): FoundPrompt {
  const { promptEntries } = replay(records, () => undefined);
  const promptAt = records.findLastIndex((record) => record.type === 'steered' && record.id === id);
  const draft = promptEntries.all.findLast((prompt) => prompt.id === id)?.draft;
  return { draft, promptAt: promptAt === -1 ? undefined : promptAt };
}

function replay(
  records: readonly LogRecord[],
  onRecord: (transcript: ChatTranscript, index: number) => void,
): Pick<ChatTranscript, 'approvals' | 'isBusy' | 'promptEntries' | 'prompts' | 'isStopping'> {
  const document = new TranscriptDocument(() => undefined);
  try {
    const transcript = new ChatTranscript(document, '');
    for (const [index, record] of records.entries()) {
      transcript.applyRecord(record);
      onRecord(transcript, index);
    }
    return transcript;
  } finally {
    document.dispose();
  }
}

interface TurnStart {
  readonly folders: readonly FolderCheckpoint[];
  /** Index of the first record of the agent's work in the turn. */
  readonly readyAt: number;
}

function findStart(
  records: readonly LogRecord[],
  promptAt: number,
  turn: number,
  steeredId: string | undefined,
): TurnStart {
  let readyAt = promptAt;
  for (const [offset, record] of records.slice(promptAt).entries()) {
    const isOfOther = record.type === 'checkpoint' && record.folders.length > 0 && record.prompt !== steeredId;
    if (isOfOther && record.turn === turn) continue;
    if (record.type === 'checkpoint' && record.turn === turn && record.folders.length > 0) {
      return { folders: record.folders, readyAt: promptAt + offset };
    }
    if ((record.type === 'changed' || record.type === 'checkpoint') && record.turn < turn)
      readyAt = promptAt + offset + 1;
    if ((record.type === 'changed' || record.type === 'checkpoint') && record.turn >= turn) break;
  }
  return { folders: [], readyAt };
}
