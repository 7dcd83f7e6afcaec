import type { Clock } from '../../../base/common/async';
import type { NewRecord } from '../conversation/logRecord';
import type { AgentWrites } from './agentWrites';
import type { FileTextClaims } from '../changes/fileTextClaims';
import type { FileTexts } from '../changes/fileTexts';
import { stateId } from '../changes/nonTextChanges';

interface SharedWritesPorts {
  /** Id of the conversation. */
  readonly conversation: string;
  /** Undefined if only the writes of this window are known. */
  readonly agentWrites: AgentWrites | undefined;
  readonly claims: FileTextClaims;
  readonly clock: Pick<Clock, 'now'>;
  readonly fileTexts: Pick<FileTexts, 'readWithUnsavedText'>;
}

/** Tells other windows what this conversation writes, and claims what they have written, so that each counts only its own. */
export class SharedWrites {
  /** The owner of the claims of other windows. */
  private readonly otherWindows = {};
  /** Later writes were not read yet. Milliseconds since the epoch. */
  private readUntil = 0;

  constructor(private readonly ports: SharedWritesPorts) {}

  shareRecord(record: NewRecord): void {
    const { agentWrites, conversation } = this.ports;
    if (record.type === 'written') agentWrites?.add({ conversation, path: record.path, text: record.after });
    else if (record.type === 'stateChanged') {
      agentWrites?.add({ conversation, path: record.path, text: stateId(record.after) });
    }
  }

  /** Shares the current texts of files that were restored. Never rejects. */
  async shareTexts(paths: readonly string[]): Promise<void> {
    const { agentWrites, conversation, fileTexts } = this.ports;
    if (!agentWrites) return;
    for (const path of paths) {
      agentWrites.add({ conversation, path, text: (await fileTexts.readWithUnsavedText(path)).id });
    }
  }

  /** Call when a turn begins: earlier writes are in its checkpoint. */
  beginTurn(): void {
    this.readUntil = this.ports.clock.now();
  }

  /** Call before files that have changed are recorded. Never rejects. */
  async claimForOtherWindows(): Promise<void> {
    const { agentWrites, claims } = this.ports;
    for (const { at, path, text } of (await agentWrites?.ofOtherWindowsSince(this.readUntil)) ?? []) {
      claims.claim(this.otherWindows, path, text);
      this.readUntil = Math.max(this.readUntil, at);
    }
  }
}
