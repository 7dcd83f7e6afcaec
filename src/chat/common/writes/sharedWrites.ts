import type {
  CurrentFileState,
  FolderCheckpoint,
  WorkspaceCheckpoints,
} from '../../../changes/common/workspaceCheckpoints';
import { isInside } from '../../../editor/common/boundary';
import { hasNoTexts } from '../../../transcript/common/shownChanges';
import type { NewRecord } from '../conversation/logRecord';
import type { RestoredFiles } from '../restore/restorePorts';
import type { AgentWrite, AgentWrites } from './agentWrites';
import type { ConversationClaims, FileTextClaims } from '../changes/fileTextClaims';
import type { FileTextId, FileTexts } from '../changes/fileTexts';
import { stateId } from '../changes/nonTextChanges';
import type { TurnCheckpoint } from '../changes/turnCheckpoint';

interface SharedWritesPorts {
  /** Id of the conversation. */
  readonly conversation: string;
  /** Undefined if only the writes of this window are known. */
  readonly agentWrites: AgentWrites | undefined;
  readonly checkpoints: Pick<WorkspaceCheckpoints, 'currentStates'> | undefined;
  readonly claims: FileTextClaims;
  /** The claims of this conversation. */
  readonly own: Pick<ConversationClaims, 'claim'>;
  readonly fileTexts: Pick<FileTexts, 'readWithUnsavedText'>;
}

/**
 * Tells other conversations, of this and of other windows, what this one has written and undone, and claims what other windows
 * have written, so that each counts only the changes of its own agent.
 */
export class SharedWrites {
  /** The owner of the claims of other windows. */
  private readonly otherWindows = {};

  constructor(private readonly ports: SharedWritesPorts) {}

  shareRecord(record: NewRecord): void {
    const left = contentsLeftBy(record);
    if (!left) return;
    // The ledger claims what the agent itself has written.
    if (record.type === 'written' || record.type === 'stateChanged') this.tellOtherWindows(left.path, left.text);
    else this.share(left.path, left.text);
  }

  /** Shares the present contents of files that a restore, or an undo, has just written or taken away. Never rejects. */
  async shareFiles({ paths, undo }: RestoredFiles): Promise<void> {
    const states = await this.statesOf(paths, undo);
    for (const path of paths) {
      const state = states.get(path);
      const known = state === 'other' ? undefined : state;
      // A text would be that of the file to which the link leads.
      const text = known?.kind === 'symlink' ? undefined : (await this.ports.fileTexts.readWithUnsavedText(path)).id;
      this.share(path, text === undefined && known ? stateId(known) : text);
    }
  }

  /**
   * Call before a turn begins, because earlier writes are in its checkpoint, and with the turn before the files that have
   * changed in it are recorded. Never rejects.
   */
  async claimForOtherWindows(turn?: Pick<TurnCheckpoint, 'hasCheckpoint' | 'recordedAt'>): Promise<void> {
    const { agentWrites, claims, conversation } = this.ports;
    if (turn?.hasCheckpoint === false) return;
    await agentWrites?.readOtherWindows(({ path, text }) => claims.claim(this.otherWindows, path, text));
    if (turn?.recordedAt === undefined) return;
    const last = new Map<string, AgentWrite>();
    for (const write of (await agentWrites?.since(turn.recordedAt)) ?? []) last.set(write.path, write);
    for (const write of last.values()) {
      // The window that has begun the turn has written the others.
      if (write.conversation !== conversation) claims.claimEarlier(this.otherWindows, write.path, write.text);
    }
  }

  /** Claims what an undo or a restore has left: it is no work of another agent. */
  private share(path: string, text: FileTextId): void {
    if (text === undefined) return;
    this.ports.own.claim(path, text);
    this.tellOtherWindows(path, text);
  }

  private tellOtherWindows(path: string, text: FileTextId): void {
    const { agentWrites, conversation } = this.ports;
    agentWrites?.add({ conversation, path, text });
  }

  private async statesOf(
    paths: readonly string[],
    folders: readonly FolderCheckpoint[],
  ): Promise<ReadonlyMap<string, CurrentFileState>> {
    const files = paths.flatMap((path) => {
      const checkpoint = folders.findLast(({ folder }) => isInside(path, folder, false));
      return checkpoint ? [{ path, checkpoint }] : [];
    });
    const none: ReadonlyMap<string, CurrentFileState> = new Map();
    if (files.length === 0) return none;
    return (await this.ports.checkpoints?.currentStates(files).catch(() => none)) ?? none;
  }
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
