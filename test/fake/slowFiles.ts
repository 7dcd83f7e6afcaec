import { NodeFiles, type ReadChunks } from '../../src/base/node/filePort';
import type { FakeClock } from './fakeClock';

/** A real disk of which each call takes a while, by the clock of the test. */
export class SlowFiles extends NodeFiles {
  callMs = 0;
  /** What was written to which file, in order. */
  readonly written: string[] = [];
  /** How many calls the disk itself is at. */
  private running = 0;

  constructor(private readonly clock: FakeClock) {
    super();
  }

  override makeFolder(folder: string): Promise<void> {
    return this.slowly(() => super.makeFolder(folder));
  }

  override listNames(folder: string): Promise<readonly string[]> {
    return this.slowly(() => super.listNames(folder));
  }

  override read(file: string): Promise<string | undefined> {
    return this.slowly(() => super.read(file));
  }

  override async *readChunks(
    ...args: Parameters<NodeFiles['readChunks']>
  ): AsyncGenerator<Uint8Array, void, undefined> {
    await this.slowly(() => Promise.resolve());
    yield* super.readChunks(...args);
  }

  override async whileOpen<Result>(file: string, work: (readChunks: ReadChunks) => Promise<Result>): Promise<Result> {
    await this.slowly(() => Promise.resolve());
    return await super.whileOpen(file, work);
  }

  override writeAtAndTruncate(file: string, offset: number, bytes: Uint8Array): Promise<void> {
    return this.slowly(async () => {
      this.written.push(Buffer.from(bytes).toString());
      await super.writeAtAndTruncate(file, offset, bytes);
    });
  }

  override replace(file: string, text: string): Promise<void> {
    return this.slowly(() => super.replace(file, text));
  }

  override createNew(file: string, text: string): Promise<boolean> {
    return this.slowly(() => super.createNew(file, text));
  }

  override moveIfExists(from: string, to: string): Promise<boolean> {
    return this.slowly(() => super.moveIfExists(from, to));
  }

  override touch(file: string): Promise<void> {
    return this.slowly(() => super.touch(file));
  }

  override modifiedAt(file: string): Promise<number | undefined> {
    return this.slowly(() => super.modifiedAt(file));
  }

  override remove(file: string): Promise<void> {
    return this.slowly(() => super.remove(file));
  }

  /** Lets time pass, and the disk do what falls due on the way. */
  async pass(ms: number): Promise<void> {
    const stepMs = 50;
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await this.settle();
      this.clock.advance(stepMs);
    }
    await this.settle();
  }

  /** Resolves when all waits for time alone. */
  async settle(): Promise<void> {
    do for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    while (this.running > 0);
  }

  private async slowly<T>(work: () => Promise<T>): Promise<T> {
    const { callMs, clock } = this;
    if (callMs > 0) await new Promise<void>((resolve) => clock.setTimer(callMs, resolve));
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
    }
  }
}
