import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { Coalescer, KeyedQueue, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf, userMessageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { parseJson } from '../../base/common/parseJson';
import type { FilePort } from '../../base/node/filePort';
import { whileMarked } from '../../base/node/whileMarked';
import type { CommentChange } from '../common/commentChanges';
import { CommentError } from '../common/commentError';
import { noComments, StoredComments, type CommentThread } from '../common/commentThread';
import type { CommentHome } from '../common/placeComment';

const fileName = 'comments.json';
const textsFolder = 'texts';
const rereadDelayMs = 100;

interface CommentStoreDeps {
  /** Absolute path of the folder for the comments of this workspace. Need not exist. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the stored comments could not be read. They are kept aside. */
  readonly onDamaged: (error: CommentError) => void;
}

/**
 * The comments of a workspace, in one file that all windows change: each change is made on what is stored then. The texts in
 * which their lines were last whole are files of their own, named by their content.
 */
export class CommentStore implements Disposable {
  private stored = noComments;
  private readonly disposables = new DisposableStore();
  private readonly emitter: Emitter<void>;
  /** Fires when the threads have changed, also in another window. */
  readonly onDidChange;
  private readonly queue = new KeyedQueue();
  private readonly homeTexts = new Map<string, string>();
  /** Texts that no stored thread has yet. */
  private readonly newTexts = new Map<string, string>();
  private readonly rereading: Coalescer;
  private isWatching = false;

  constructor(private readonly deps: CommentStoreDeps) {
    this.emitter = this.disposables.add(new Emitter<void>((error) => deps.log.error('a listener failed', error)));
    this.onDidChange = this.emitter.event;
    this.rereading = this.disposables.add(new Coalescer(deps.clock, rereadDelayMs, () => void this.readAgain()));
  }

  get threads(): readonly CommentThread[] {
    return this.stored.threads;
  }

  /** Reads what is stored. Never rejects: what cannot be read is reported, and there are no comments then. */
  async start(): Promise<void> {
    await this.readAgain();
    this.watch();
  }

  /** Changes what is stored. Resolves when it is on the disk. @throws CommentError */
  async change(change: CommentChange): Promise<void> {
    await this.changeAndReturn((stored) => ({ changed: change(stored), result: undefined }));
  }

  /** As `change`; resolves to what `decide` has found in what was stored. @throws CommentError */
  async changeAndReturn<Result>(
    decide: (stored: StoredComments) => { readonly changed: StoredComments; readonly result: Result },
  ): Promise<Result> {
    const { files, folder } = this.deps;
    const file = path.join(folder, fileName);
    return await this.queue.run('', async () => {
      try {
        await files.makeFolder(folder);
        const result = await whileMarked(files, file, async () => {
          const before = await this.read();
          const decided = decide(before);
          if (decided.changed !== before) {
            await this.storeNewTexts(before, decided.changed);
            await files.replace(file, JSON.stringify(decided.changed));
            await this.removeUnusedTexts(before, decided.changed);
          }
          this.setStored(decided.changed);
          return decided.result;
        });
        this.watch();
        this.emitter.fire();
        return result;
      } catch (error) {
        if (error instanceof CommentError) throw error;
        throw new CommentError('storage', `The comment can’t be stored. ${userMessageOf(error)}`, { cause: error });
      }
    });
  }

  /** Returns what a thread stores of its home. The text is stored by the change that adds it to a thread. */
  homeOf({ isPart, lines, text }: CommentHome): CommentThread['home'] {
    const hash = createHash('sha256').update(text).digest('hex');
    this.newTexts.set(hash, text);
    return { hash, start: lines.start, end: lines.end, ...(isPart ? { isPart } : {}) };
  }

  /** Returns the text of a home. Undefined if it is lost. Never rejects. */
  async homeText(hash: string): Promise<string | undefined> {
    const known = this.homeTexts.get(hash) ?? this.newTexts.get(hash);
    if (known !== undefined) return known;
    const { files, folder, log } = this.deps;
    const text = await files.read(path.join(folder, textsFolder, hash)).catch((error: unknown) => {
      log.warn(`Cannot read the text of a comment: ${messageOf(error)}`);
      return undefined;
    });
    if (text !== undefined) this.homeTexts.set(hash, text);
    return text;
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async readAgain(): Promise<void> {
    const { log } = this.deps;
    const before = JSON.stringify(this.stored);
    await this.queue
      .run('', async () => this.setStored(await this.read()))
      .catch((error: unknown) => log.warn(`Cannot read the comments: ${messageOf(error)}`));
    if (JSON.stringify(this.stored) !== before) this.emitter.fire();
  }

  /** @throws errors of the file port */
  private async read(): Promise<StoredComments> {
    const { files, folder, onDamaged } = this.deps;
    const file = path.join(folder, fileName);
    const text = await files.read(file);
    if (text === undefined) return noComments;
    const found = StoredComments.safeParse(parseJson(text)).data;
    if (found) return found;
    const aside = path.join(folder, `comments-damaged-${this.deps.clock.now()}.json`);
    await files.moveIfExists(file, aside);
    const message = `The stored comments of this workspace can’t be read. They are kept in ${aside}.`;
    onDamaged(new CommentError('damaged', message));
    return noComments;
  }

  /** Watches for changes of other windows, once there is a folder. */
  private watch(): void {
    if (this.isWatching || this.disposables.isDisposed) return;
    const { files, folder } = this.deps;
    void files.modifiedAt(folder).then((modifiedAt) => {
      if (modifiedAt === undefined || this.isWatching || this.disposables.isDisposed) return;
      this.isWatching = true;
      this.disposables.add(
        files.watch(folder, (name) => {
          if (name === undefined || name === fileName) this.rereading.schedule();
        }),
      );
    });
  }

  /** Keeps only the texts that threads still need: another window may have removed some. */
  private setStored(stored: StoredComments): void {
    this.stored = stored;
    const used = hashesOf(stored);
    for (const hash of used) {
      const text = this.newTexts.get(hash);
      if (text !== undefined) this.homeTexts.set(hash, text);
      this.newTexts.delete(hash);
    }
    for (const hash of this.homeTexts.keys()) if (!used.has(hash)) this.homeTexts.delete(hash);
  }

  /** @throws errors of the file port, CommentError */
  private async storeNewTexts(before: StoredComments, after: StoredComments): Promise<void> {
    const { files, folder } = this.deps;
    const known = hashesOf(before);
    const texts = [...hashesOf(after)].filter((hash) => !known.has(hash));
    if (texts.length > 0) await files.makeFolder(path.join(folder, textsFolder));
    for (const hash of texts) {
      const text = this.newTexts.get(hash) ?? this.homeTexts.get(hash);
      if (text === undefined)
        throw new CommentError('storage', 'The lines of the comment are no longer known. Try again.');
      await files.replace(path.join(folder, textsFolder, hash), text);
    }
  }

  /** Removes the texts that no thread names any more. Never rejects. */
  private async removeUnusedTexts(before: StoredComments, after: StoredComments): Promise<void> {
    const { files, folder } = this.deps;
    const used = hashesOf(after);
    const unused = [...hashesOf(before)].filter((hash) => !used.has(hash));
    for (const hash of unused) await files.remove(path.join(folder, textsFolder, hash)).catch(() => undefined);
  }
}

function hashesOf({ threads }: StoredComments): ReadonlySet<string> {
  return new Set(threads.map(({ home }) => home.hash));
}
