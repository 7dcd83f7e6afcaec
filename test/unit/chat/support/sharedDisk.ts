import * as path from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { toDisposable, type Disposable } from '../../../../src/base/common/disposable';
import { NodeFiles, type FileVersion, type ReadChunks } from '../../../../src/base/node/filePort';

/** The real disk of several windows: it tells them of changes at once, and knows when none of them reads or writes. */
export class SharedDisk {
  private running = 0;
  private readonly watchers = new Set<{ readonly folder: string; readonly onChange: (name: string) => void }>();

  async count<Result>(work: () => Promise<Result>, changed: readonly string[] = []): Promise<Result> {
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
      for (const file of changed) {
        for (const { folder, onChange } of [...this.watchers])
          if (folder === path.dirname(file)) onChange(path.basename(file));
      }
    }
  }

  watch(folder: string, onChange: (name: string) => void): Disposable {
    const watcher = { folder, onChange };
    this.watchers.add(watcher);
    return toDisposable(() => this.watchers.delete(watcher));
  }

  /** Resolves when nothing has been read or written for some turns of the event loop. */
  async whenQuiet(): Promise<void> {
    for (let quiet = 0; quiet < 8; quiet = this.running === 0 ? quiet + 1 : 0) await new Promise(setImmediate);
  }
}

/** The files of one window. When it is killed, nothing that it does has an effect or an end. */
export class WindowFiles extends NodeFiles {
  private isKilled = false;
  private readonly locks = new Set<string>();

  constructor(private readonly disk: SharedDisk) {
    super();
  }

  /** As if the process of the window had ended: its locks are those of a process that does not exist. */
  async kill(): Promise<void> {
    this.isKilled = true;
    await this.disk.whenQuiet();
    for (const lock of this.locks) {
      const text = await readFile(lock, 'utf8').catch(() => undefined);
      if (text !== undefined) await writeFile(lock, text.replace(`"pid":${process.pid}`, '"pid":999999999'));
    }
  }

  private do<Result>(work: () => Promise<Result>, ...changed: string[]): Promise<Result> {
    return this.isKilled ? new Promise(() => undefined) : this.disk.count(work, changed);
  }

  override makeFolder(folder: string): Promise<void> {
    return this.do(() => super.makeFolder(folder));
  }
  override listNames(folder: string): Promise<readonly string[]> {
    return this.do(() => super.listNames(folder));
  }
  override read(file: string): Promise<string | undefined> {
    return this.do(() => super.read(file));
  }
  override whileOpen<Result>(file: string, work: (readChunks: ReadChunks) => Promise<Result>): Promise<Result> {
    return this.do(() => super.whileOpen(file, work));
  }
  override writeAtAndTruncate(file: string, offset: number, bytes: Uint8Array): Promise<void> {
    return this.do(() => super.writeAtAndTruncate(file, offset, bytes), file);
  }
  override replace(file: string, text: string): Promise<void> {
    return this.do(() => super.replace(file, text), file);
  }
  override replaceWith(source: string, file: string): Promise<void> {
    return this.do(() => super.replaceWith(source, file), source, file);
  }
  override createNew(file: string, text: string): Promise<boolean> {
    const isLock = /(?:^|\.)lock$/.test(path.basename(file));
    return this.do(async () => {
      const isCreated = await super.createNew(file, text);
      if (isLock && isCreated) this.locks.add(file);
      return isCreated;
    }, file);
  }
  override moveIfExists(from: string, to: string): Promise<boolean> {
    return this.do(() => super.moveIfExists(from, to), from, to);
  }
  override touch(file: string): Promise<void> {
    return this.do(() => super.touch(file), file);
  }
  override modifiedAt(file: string): Promise<number | undefined> {
    return this.do(() => super.modifiedAt(file));
  }
  override versionOf(file: string): Promise<FileVersion | undefined> {
    return this.do(() => super.versionOf(file));
  }
  override remove(file: string): Promise<void> {
    return this.do(async () => {
      this.locks.delete(file);
      await super.remove(file);
    }, file);
  }
  override watch(folder: string, onChange: (name: string | undefined) => void): Disposable {
    return this.disk.watch(folder, (name) => {
      if (!this.isKilled) onChange(name);
    });
  }
}
