import * as path from 'node:path';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { FakeClock } from '../../../fake/fakeClock';

/** Goes on while the computer sleeps; its timers do not. */
export class SleepyClock extends FakeClock {
  sleptMs = Date.now();

  override now(): number {
    return super.now() + this.sleptMs;
  }
}

type Step = 'guard' | 'move' | 'moved' | 'read' | 'created';

/** Lets something happen once before or after a step, and notes the names of files that were to be created. */
export class InterruptedFiles extends NodeFiles {
  readonly created: string[] = [];
  private readonly interruptions = new Map<Step, () => Promise<void>>();

  /** Before a guard is created, a lock is moved or a file is read, or after a lock was created or moved. */
  once(step: Step, interrupt: () => Promise<void>): void {
    this.interruptions.set(step, interrupt);
  }

  override async createNew(file: string, text: string): Promise<boolean> {
    if (file.endsWith('.evict')) await this.interrupt('guard');
    this.created.push(path.basename(file));
    const isNew = await super.createNew(file, text);
    if (isNew && !file.endsWith('.evict')) await this.interrupt('created');
    return isNew;
  }

  override async moveIfExists(from: string, to: string): Promise<boolean> {
    await this.interrupt('move');
    const isThere = await super.moveIfExists(from, to);
    await this.interrupt('moved');
    return isThere;
  }

  override async read(file: string): Promise<string | undefined> {
    await this.interrupt('read');
    return await super.read(file);
  }

  private async interrupt(step: Step): Promise<void> {
    const interrupt = this.interruptions.get(step);
    this.interruptions.delete(step);
    await interrupt?.();
  }
}
