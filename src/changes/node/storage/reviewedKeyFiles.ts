import { createHash } from 'node:crypto';
import * as path from 'node:path';
import * as z from 'zod';
import { KeyedQueue, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter, type Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import { whileMarked } from '../../../base/node/whileMarked';
import type { ReviewedKeys } from '../../common/review/reviewedMarks';

const Stored = z.object({ keys: z.array(z.string()) });

/** Maximum number of keys of one file. The oldest are forgotten first. */
const maxKeys = 5_000;
const maxAgeMs = 90 * 24 * 60 * 60 * 1000;
const none: ReadonlySet<string> = new Set();

interface ReviewedKeyFilesDeps {
  /** Absolute path of the folder that all windows share. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Stores the keys of reviewed changes: one file for each file that was reviewed. */
export class ReviewedKeyFiles implements ReviewedKeys, Disposable {
  private readonly changeEmitter: Emitter<void>;
  readonly onDidChange: Event<void>;
  private readonly queue = new KeyedQueue();
  private readonly keysByName = new Map<string, ReadonlySet<string>>();
  /** The names of all stored files. Never rejects. */
  private names: Promise<Set<string>> | undefined;
  private watch: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly deps: ReviewedKeyFilesDeps) {
    this.changeEmitter = new Emitter<void>((error) => deps.log.error('a listener failed', error));
    this.onDidChange = this.changeEmitter.event;
  }

  async of(reviewed: string): Promise<ReadonlySet<string>> {
    const name = nameOf(reviewed);
    if (!(await (this.names ??= this.open())).has(name)) return none;
    const known = this.keysByName.get(name);
    if (known) return known;
    const keys = new Set(await this.read(name));
    this.keysByName.set(name, keys);
    return keys;
  }

  async change(
    reviewed: string,
    { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  ): Promise<void> {
    const { files, folder } = this.deps;
    const name = nameOf(reviewed);
    await this.queue.run(name, async () => {
      const names = await (this.names ??= this.open());
      const file = path.join(folder, name);
      const gone = new Set([...add, ...remove]);
      await files.makeFolder(folder);
      const keys = await whileMarked(files, file, async () => {
        // Another window may have added some since they were read.
        const changed = [...(await this.read(name)).filter((key) => !gone.has(key)), ...add].slice(-maxKeys);
        await files.replace(file, JSON.stringify({ keys: changed }));
        return changed;
      });
      names.add(name);
      this.keysByName.set(name, new Set(keys));
      this.startWatching();
    });
  }

  async forget(reviewed: string): Promise<void> {
    const name = nameOf(reviewed);
    const names = await (this.names ??= this.open());
    if (!names.has(name)) return;
    await this.queue.run(name, async () => {
      await this.removeFile(name);
      names.delete(name);
      this.keysByName.delete(name);
    });
  }

  dispose(): void {
    this.isDisposed = true;
    this.watch?.dispose();
  }

  /** Lists the stored files and removes those that were not changed for long. Never rejects. */
  private async open(): Promise<Set<string>> {
    const { clock, files, folder, log } = this.deps;
    const names = await files.listNames(folder).catch((error: unknown) => {
      log.info(`What was reviewed cannot be listed: ${messageOf(error)}`);
      return [];
    });
    const found = new Set(names.filter((name) => name.endsWith('.json')));
    const oldest = clock.now() - maxAgeMs;
    for (const name of found) {
      const modifiedAt = await files.modifiedAt(path.join(folder, name)).catch(() => undefined);
      if (modifiedAt === undefined || modifiedAt >= oldest) continue;
      await this.removeFile(name);
      found.delete(name);
    }
    if (names.length > 0) this.startWatching();
    return found;
  }

  /** Reads again what other windows have written. */
  private startWatching(): void {
    if (this.isDisposed) return;
    this.watch ??= this.deps.files.watch(this.deps.folder, (name) => {
      if (name?.endsWith('.tmp')) return;
      void this.queue.run(name ?? '', () => this.readChanged(name));
    });
  }

  private async readChanged(name: string | undefined): Promise<void> {
    const names = await (this.names ??= this.open());
    if (name === undefined) {
      this.keysByName.clear();
      this.names = undefined;
    } else {
      const known = this.keysByName.get(name);
      const keys = await this.read(name);
      // This window has written it.
      if (known?.size === keys.length && keys.every((key) => known.has(key))) return;
      if (!known && keys.length === 0) return;
      names.add(name);
      this.keysByName.set(name, new Set(keys));
    }
    if (!this.isDisposed) this.changeEmitter.fire();
  }

  private async read(name: string): Promise<readonly string[]> {
    const text = await this.deps.files.read(path.join(this.deps.folder, name)).catch(() => undefined);
    return text === undefined ? [] : (Stored.safeParse(parseJson(text)).data?.keys ?? []);
  }

  private async removeFile(name: string): Promise<void> {
    await this.deps.files.remove(path.join(this.deps.folder, name)).catch((error: unknown) => {
      this.deps.log.info(`What was reviewed cannot be removed: ${messageOf(error)}`);
    });
  }
}

/** A short hash of a text, as `ReviewedMarks` takes it. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function nameOf(reviewed: string): string {
  return `${createHash('sha256').update(reviewed).digest('hex').slice(0, 32)}.json`;
}
