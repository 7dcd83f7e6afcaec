import type { FolderCheckpoint, WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import type { EditorPort } from '../../../editor/common/editorPort';
import { hasNoTexts } from '../../../transcript/common/shownChanges';
import type { NewRecord } from '../conversation/logRecord';
import { checkpointFor } from '../restore/checkpointFor';
import type { AgentWrite, AgentWrites, NewAgentWrite, ToldWrite } from './agentWrites';
import type { ConversationClaims, ContentIds, FileTextClaims } from './fileTextClaims';
import type { FileText, FileTexts } from '../changes/fileTexts';
import { effectOfFailure } from './failedWrite';
import { stateId } from '../changes/nonTextChanges';
import type { TurnCheckpoint } from '../changes/turnCheckpoint';
import { placeOf } from './placeOf';
import type { PlannedState, UndoWrites } from './undoWrites';

interface SharedWritesPorts {
  /** Id of the conversation. */
  readonly conversation: string;
  /** Undefined if only the writes of this window are known. */
  readonly agentWrites: AgentWrites | undefined;
  readonly checkpoints: Pick<WorkspaceCheckpoints, 'stateAt'> | undefined;
  readonly claims: FileTextClaims;
  /** The claims of this conversation. */
  readonly own: Pick<ConversationClaims, 'announce' | 'lose' | 'made' | 'withdraw'>;
  readonly fileTexts: Pick<FileTexts, 'idOf' | 'readFromDisk'>;
  readonly editor: Pick<EditorPort, 'realPathOf'>;
}

interface Announced {
  /** `text` is that of the file now, if it may be another one than was announced. */
  end(outcome: 'written' | 'nothing' | 'unknown', text?: FileText): void;
}

/**
 * Tells other conversations, of this and of other windows, what this one has written, and what it is about to undo, and claims
 * what other windows have told, so that each counts only the changes of its own agent.
 */
export class SharedWrites implements UndoWrites {
  /** The owner of the claims of other windows. */
  private readonly otherWindows = {};
  private announcedCount = 0;

  constructor(private readonly ports: SharedWritesPorts) {}

  /** Tells other windows what the agent has written. The conversation itself claims it. */
  shareRecord(record: NewRecord): void {
    const left = record.type === 'written' || record.type === 'stateChanged' ? contentsLeftBy(record) : undefined;
    if (left) this.ports.agentWrites?.add({ conversation: this.ports.conversation, ...left });
  }

  async ofText<T>(
    path: string,
    text: string | null,
    write: () => Promise<T>,
    textOf?: (result: T) => string,
  ): Promise<T> {
    const { fileTexts } = this.ports;
    const planned = fileTexts.idOf(text);
    const { id: before } = await fileTexts.readFromDisk(path);
    const [announced] = await this.announce([{ path, text: planned }]);
    try {
      const result = await write();
      announced?.end('written', textOf?.(result));
      return result;
    } catch (error) {
      const left = await fileTexts.readFromDisk(path);
      announced?.end(effectOfFailure({ error, planned, before, left: left.id }), left.text);
      throw error;
    }
  }

  async ofStates<T>(
    files: readonly PlannedState[],
    write: () => Promise<T>,
    isWritten: (result: T, path: string) => boolean = () => true,
  ): Promise<T> {
    const places = await Promise.all(files.map(({ path }) => placeOf(this.ports.editor, path)));
    const planned = files.map(({ after }, at) => ({ path: places[at] ?? '', text: stateId(after) }));
    const announced = await this.announce(planned);
    try {
      const result = await write();
      for (const [at, { path }] of files.entries()) announced[at]?.end(isWritten(result, path) ? 'written' : 'unknown');
      return result;
    } catch (error) {
      // Some of them may have been written.
      for (const one of announced) one.end('unknown');
      throw error;
    }
  }

  /** Shares what a restore that another process has begun has left: the states that the files have in these checkpoints. Never rejects. */
  async shareRestored(paths: readonly string[], folders: readonly FolderCheckpoint[]): Promise<void> {
    const { checkpoints } = this.ports;
    for (const path of paths) {
      const checkpoint = checkpointFor(path, folders);
      if (!checkpoint || !checkpoints) continue;
      const after = await checkpoints.stateAt({ path, checkpoint }).catch(() => undefined);
      await this.ofStates([{ path, after }], () => Promise.resolve());
    }
  }

  /**
   * Claims what other windows have told. Call it after files were read and before it is decided who has written them: what
   * Backline writes is told before. Never rejects.
   */
  async readOtherWindows(): Promise<void> {
    await this.ports.agentWrites?.readOtherWindows((told) => this.claimTold(told));
  }

  /**
   * Call before a turn begins, because earlier writes are in its checkpoint, and with the turn before the files that have
   * changed in it are recorded. Never rejects.
   */
  async claimForOtherWindows(turn?: Pick<TurnCheckpoint, 'hasCheckpoint' | 'recordedAt'>): Promise<void> {
    const { agentWrites, claims, conversation } = this.ports;
    if (turn?.hasCheckpoint === false) return;
    await this.readOtherWindows();
    if (turn?.recordedAt === undefined) return;
    const last = new Map<string, AgentWrite>();
    for (const write of (await agentWrites?.since(turn.recordedAt)) ?? []) last.set(write.path, write);
    for (const write of last.values()) {
      // The window that has begun the turn has written the others.
      if (write.conversation !== conversation) claims.claimEarlier(this.otherWindows, write.path, contentsOf(write));
    }
  }

  private claimTold(told: ToldWrite): void {
    const { claims } = this.ports;
    if (told.kind === 'withdrawn') claims.withdraw(told.id);
    else if (told.kind === 'lost') claims.lose(told.id, told.left && contentsOf(told.left));
    else {
      const { id, kind, write } = told;
      const contents = contentsOf(write);
      if (kind === 'announced') claims.announce(id, this.otherWindows, write.path, contents);
      else if (id === undefined || !claims.made(id, contents)) claims.claim(this.otherWindows, write.path, contents);
    }
  }

  private async announce(files: readonly Pick<NewAgentWrite, 'path' | 'text'>[]): Promise<readonly Announced[]> {
    const { agentWrites, conversation, fileTexts, own } = this.ports;
    const writes = files.map(({ path, text }) => ({ conversation, path, text }));
    const ids = writes.map(({ path, text }) => {
      const id = `${conversation} ${++this.announcedCount}`;
      own.announce(id, path, [text]);
      return id;
    });
    const told = (await agentWrites?.announce(writes)) ?? [];
    return writes.map((write, at) => ({
      end: (outcome, text) => {
        const id = ids[at] ?? '';
        const left = { ...write, text: text === undefined ? write.text : fileTexts.idOf(text) };
        if (outcome === 'written') own.made(id, [left.text]);
        else if (outcome === 'nothing') own.withdraw(id);
        else own.lose(id, [left.text]);
        told[at]?.end(outcome === 'written' ? left : outcome === 'nothing' ? outcome : { left });
      },
    }));
  }
}

function contentsOf({ state, text }: AgentWrite): ContentIds {
  return state === undefined ? [text] : [text, state];
}

/** Returns what a change of the agent, or the undo of one, has left in a file. */
export function contentsLeftBy(record: NewRecord): Pick<AgentWrite, 'path' | 'text'> | undefined {
  const { type } = record;
  if (type === 'written' || type === 'hunkUndone' || type === 'turnReverted') {
    return { path: record.path, text: record.after };
  }
  if (type === 'fileDecided' && record.decision === 'reverted') return { path: record.path, text: record.left };
  // The text of other files stands in a record of its own.
  if (type === 'stateChanged' && hasNoTexts(record.kind)) return { path: record.path, text: stateId(record.after) };
  return undefined;
}
