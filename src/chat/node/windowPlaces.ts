import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { inParallel, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { errorCode, messageOf } from '../../base/common/errors';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { parseJson } from '../../base/common/parseJson';
import type { FilePort } from '../../base/node/filePort';
import {
  isSamePlace,
  locate,
  movesTo,
  placeAfter,
  placeContinuedIn,
  type ConversationPlace,
  type FolderMove,
  type FolderOnDisk,
  type LocatedFolder,
  type RepositoryIdentity,
} from '../common/conversations/conversationPlace';
import type { PlaceElsewhere } from '../common/chatStore';
import type { OpenWorkspace } from './conversationsFolder';
import { LatestAnswers } from './places/latestAnswers';
import { repositoryIdentity } from './repositoryIdentity';
import { isFolder } from '../../base/node/isFolder';

/** A network drive can be slow or gone. Then its folders count as they are named. */
const diskTimeoutMs = 2000;
const maxParallelReads = 16;
/** What Node.js says of a path at which nothing is. */
const missingCodes: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

const anywhere: PlaceElsewhere = { isGone: false };

const Located = z.object({ from: z.string(), to: z.string(), at: z.number() });

/** What the disk knows of folders. Tests can replace it. */
export interface FoldersDisk {
  /** @throws errors of Node.js, if the disk does not say whether the folder is there */
  look(folder: string): Promise<FolderOnDisk>;
  /** Never rejects. */
  repositoryOf(realFolder: string): Promise<RepositoryIdentity | undefined>;
}

interface WindowPlacesDeps {
  /** Absolute path of the folder for the moves of folders. Need not exist. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the folders that this window has now. */
  readonly workspace: () => OpenWorkspace;
  readonly disk?: FoldersDisk;
}

/**
 * Where this window works, and where the folders of other conversations are now. It depends on the folders that the window
 * has at that moment and on the newest answers of the disk, never on the order in which they came.
 */
export class WindowPlaces implements Disposable {
  private located: readonly LocatedFolder[] = [];
  private locatedCount = 0;
  private locatedNumber = 0;
  /** What `elsewhere` has found in a situation. */
  private found = { situation: '', answers: new WeakMap<object, PlaceElsewhere | undefined>() };
  private readonly disk: FoldersDisk;
  private readonly onDisk: LatestAnswers<FolderOnDisk>;
  private readonly repositories: LatestAnswers<RepositoryIdentity | undefined>;
  private readonly disposables = new DisposableStore();
  private readonly emitter: Emitter<void>;
  /** The disk has answered what nobody waits for any more. */
  readonly onDidLearn: Event<void>;

  constructor(private readonly deps: WindowPlacesDeps) {
    const { clock, disk, log } = deps;
    const limits = { clock, log, timeoutMs: diskTimeoutMs };
    this.disk = disk ?? nodeDisk;
    this.emitter = this.disposables.add(new Emitter<void>((error) => log.error('a listener failed', error)));
    this.onDidLearn = this.emitter.event;
    this.onDisk = this.disposables.add(new LatestAnswers({ ...limits, what: 'looking at a folder' }));
    this.repositories = this.disposables.add(new LatestAnswers({ ...limits, what: 'reading a repository' }));
    this.onDisk.onDidAnswerLate(() => void this.readNewRepositories().then(() => this.emitter.fire()));
    this.repositories.onDidAnswerLate(() => this.emitter.fire());
  }

  /** Where this window works. Without symbolic links and repositories that the disk has not told yet. */
  get here(): ConversationPlace {
    const { file, folders } = this.deps.workspace();
    const placed = folders.map((folder) => {
      const real = this.realOf(folder);
      const repository = this.repositories.get(real);
      return { path: folder, real, ...(repository ? { repository } : {}) };
    });
    return { ...(file === undefined ? {} : { file }), folders: placed, at: this.deps.clock.now() };
  }

  /** Asks the disk about the folders of this window. Never rejects. */
  async start(): Promise<void> {
    const { folders } = this.deps.workspace();
    await Promise.all([this.readLocated(), ...folders.map((folder) => this.lookAt(folder))]);
    await Promise.all(folders.map((folder) => this.readRepository(this.realOf(folder))));
  }

  /**
   * Looks for the folders of conversations, so that `elsewhere` knows which of them are gone, or only for those of which
   * nothing is known yet. Resolves to whether there is something to look for. Never rejects.
   */
  async lookFor(places: readonly ConversationPlace[], which: 'all' | 'new' = 'all'): Promise<boolean> {
    if (which === 'all') await this.readLocated();
    const paths = places.flatMap((place) => place.folders.map((folder) => this.currentPath(folder.path, place)));
    const asked = [...new Set(paths)].filter((one) => which === 'all' || !this.onDisk.has(one));
    await inParallel(asked, maxParallelReads, (one) => this.lookAt(one));
    // Also of a folder of this window that the disk could not tell before.
    await this.readNewRepositories();
    return which === 'all' || asked.length > 0;
  }

  /** Differs whenever `elsewhere` may answer otherwise for the same place. */
  get situation(): string {
    const { file = '', folders } = this.deps.workspace();
    const { onDisk, repositories, locatedNumber } = this;
    return [onDisk.version, repositories.version, locatedNumber, file, ...folders].join('\0');
  }

  /**
   * Returns where a conversation belongs, if that is not here. A conversation without a place can belong anywhere. The
   * result is the same object as long as the situation is the same.
   */
  elsewhere(place: ConversationPlace | undefined, situation = this.situation): PlaceElsewhere | undefined {
    if (!place) return anywhere;
    if (situation !== this.found.situation) this.found = { situation, answers: new WeakMap() };
    const { answers } = this.found;
    // Without moves, all places with these folders have the same answer. An index gives them the same ones.
    const key = this.located.length === 0 ? place.folders : place;
    if (!answers.has(key)) answers.set(key, this.findElsewhere(place));
    return answers.get(key);
  }

  /** Returns how the paths of a conversation differ from those of this window. Never rejects. */
  async movesFor(place: ConversationPlace | undefined): Promise<readonly FolderMove[]> {
    if (!place) return [];
    await this.lookFor([place]);
    const known = (folder: string): FolderOnDisk => this.onDisk.get(folder) ?? { real: folder, isGone: false };
    return movesTo(place, this.here, this.located, known);
  }

  /** Returns the place of a conversation that continues in this window. */
  continuedFrom(place: ConversationPlace | undefined, moves: readonly FolderMove[]): ConversationPlace {
    return placeContinuedIn(this.here, place && placeAfter(place, moves), this.deps.clock.now());
  }

  /** Records that the user has moved a folder. Resolves to what takes that back. @throws errors of the file port */
  async locate(from: string, to: string): Promise<() => Promise<void>> {
    const { clock, files, folder } = this.deps;
    const move: LocatedFolder = { from, to, at: clock.now() };
    await files.makeFolder(folder);
    // Each move is a file of its own, so that two windows do not overwrite each other's.
    const file = path.join(folder, `${randomUUID()}.json`);
    await files.replace(file, JSON.stringify(move));
    await this.readLocated();
    return async () => {
      await files.remove(file);
      await this.readLocated();
    };
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private findElsewhere(place: ConversationPlace): PlaceElsewhere | undefined {
    const now = placeAfter(place, this.locatedMoves(place));
    // A window that was faster than the disk has stored the place with symbolic links.
    const linked = now.folders.map((folder) => ({ ...folder, real: this.realOf(folder.path) }));
    if (isSamePlace({ ...now, folders: [...now.folders, ...linked] }, this.here)) return undefined;
    const [first] = now.folders;
    if (!first) return anywhere;
    const isGone = this.onDisk.get(first.path)?.isGone ?? false;
    return { folder: first.path, isGone, ...(now.file === undefined ? {} : { workspaceFile: now.file }) };
  }

  private currentPath(folder: string, { at }: ConversationPlace): string {
    return locate(folder, at, this.located);
  }

  private locatedMoves(place: ConversationPlace): FolderMove[] {
    return place.folders.flatMap(({ path: from }) => {
      const to = this.currentPath(from, place);
      return to === from ? [] : [{ from, to }];
    });
  }

  private realOf(folder: string): string {
    return this.onDisk.get(folder)?.real ?? path.normalize(folder);
  }

  private lookAt(folder: string): Promise<void> {
    return this.onDisk.ask(folder, () => this.disk.look(folder));
  }

  private readRepository(real: string): Promise<void> {
    return this.repositories.ask(real, () => this.disk.repositoryOf(real));
  }

  private async readNewRepositories(): Promise<void> {
    const reals = this.here.folders.map(({ real }) => real).filter((real) => !this.repositories.has(real));
    await Promise.all(reals.map((real) => this.readRepository(real)));
  }

  private async readLocated(): Promise<void> {
    const { files, folder, log } = this.deps;
    const number = ++this.locatedCount;
    try {
      const names = (await files.listNames(folder)).filter((name) => name.endsWith('.json'));
      const texts = await Promise.all(names.map((name) => files.read(path.join(folder, name))));
      // On a slow disk, an older reading can end last.
      if (number < this.locatedNumber) return;
      this.locatedNumber = number;
      this.located = texts.flatMap((text) => Located.safeParse(parseJson(text ?? '')).data ?? []);
    } catch (error) {
      log.warn(`Cannot read where folders were moved to: ${messageOf(error)}`);
    }
  }
}

const nodeDisk: FoldersDisk = { look: readFolder, repositoryOf: repositoryIdentity };

async function readFolder(folder: string): Promise<FolderOnDisk> {
  const real = await realpath(folder).catch((error: unknown) => {
    if (missingCodes.has(errorCode(error))) return undefined;
    throw error;
  });
  if (real === undefined) return { real: path.normalize(folder), isGone: true };
  return { real, isGone: !(await isFolder(real)) };
}
