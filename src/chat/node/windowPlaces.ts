import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { withDeadline, type Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
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
} from '../common/conversations/conversationPlace';
import type { PlaceElsewhere } from '../common/chatStore';
import type { OpenWorkspace } from './conversationsFolder';
import { repositoryIdentity } from './repositoryIdentity';
import { isFolder } from '../../base/node/isFolder';

/** A network drive can be slow or gone. Then its folders count as they are named. */
const diskTimeoutMs = 2000;
const maxParallelReads = 16;

const Located = z.object({ from: z.string(), to: z.string(), at: z.number() });

interface WindowPlacesDeps {
  /** Absolute path of the folder for the moves of folders. Need not exist. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workspace: OpenWorkspace;
}

/** Where this window works, and where the folders of other conversations are now. */
export class WindowPlaces {
  private currentPlace: ConversationPlace;
  private located: readonly LocatedFolder[] = [];
  private readonly onDisk = new Map<string, FolderOnDisk>();

  constructor(private readonly deps: WindowPlacesDeps) {
    this.currentPlace = placeOf(deps.workspace, deps.clock.now());
  }

  /** Where this window works. Without symbolic links and repositories before `start`. */
  get here(): ConversationPlace {
    return this.currentPlace;
  }

  /** The window has other folders now. Never rejects. */
  async moveWindow(workspace: OpenWorkspace): Promise<void> {
    this.currentPlace = placeOf(workspace, this.deps.clock.now());
    await this.start();
  }

  /** Reads the disk. Never rejects. */
  async start(): Promise<void> {
    const { clock } = this.deps;
    const place = this.currentPlace;
    const folders = await Promise.all(
      place.folders.map(async (folder) => {
        const { real } = await this.lookAt(folder.path);
        const reading = withDeadline(clock, 'reading a repository', diskTimeoutMs, () => repositoryIdentity(real));
        const repository = await reading.catch(() => undefined);
        return { path: folder.path, real, ...(repository ? { repository } : {}) };
      }),
    );
    // The window can have got other folders meanwhile.
    if (this.currentPlace === place) this.currentPlace = { ...place, folders, at: clock.now() };
    await this.readLocated();
  }

  /** Looks for the folders of conversations, so that `elsewhere` knows which of them are gone. Never rejects. */
  async lookFor(places: readonly ConversationPlace[]): Promise<void> {
    await this.readLocated();
    const paths = new Set(
      places.flatMap((place) => place.folders.map((folder) => this.currentPath(folder.path, place))),
    );
    const waiting = [...paths];
    const work = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await this.lookAt(next);
    };
    await Promise.all(Array.from({ length: maxParallelReads }, work));
  }

  /** Returns where a conversation belongs, if that is not here. A conversation without a place can belong anywhere. */
  elsewhere(place: ConversationPlace | undefined): PlaceElsewhere | undefined {
    if (!place) return { isGone: false };
    const now = placeAfter(place, this.locatedMoves(place));
    if (isSamePlace(now, this.here)) return undefined;
    const [first] = now.folders;
    if (!first) return { isGone: false };
    return { folder: first.path, isGone: this.onDisk.get(first.path)?.isGone ?? false };
  }

  /** Returns how the paths of a conversation differ from those of this window. Never rejects. */
  async movesFor(place: ConversationPlace | undefined): Promise<readonly FolderMove[]> {
    if (!place) return [];
    this.onDisk.clear();
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
    await this.readMoves();
    return async () => {
      await files.remove(file);
      await this.readMoves();
    };
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

  private async readMoves(): Promise<void> {
    this.onDisk.clear();
    await this.readLocated();
  }

  private async readLocated(): Promise<void> {
    const { files, folder, log } = this.deps;
    try {
      const names = (await files.listNames(folder)).filter((name) => name.endsWith('.json'));
      const texts = await Promise.all(names.map((name) => files.read(path.join(folder, name))));
      this.located = texts.flatMap((text) => Located.safeParse(parseJson(text ?? '')).data ?? []);
    } catch (error) {
      log.warn(`Cannot read where folders were moved to: ${messageOf(error)}`);
    }
  }

  private async lookAt(folder: string): Promise<FolderOnDisk> {
    const { clock } = this.deps;
    const known = this.onDisk.get(folder);
    if (known) return known;
    const looking = withDeadline(clock, 'looking at a folder', diskTimeoutMs, () => readFolder(folder));
    const found = await looking.catch(() => ({ real: path.normalize(folder), isGone: false }));
    this.onDisk.set(folder, found);
    return found;
  }
}

/** Returns a place without what only the disk knows. */
function placeOf({ file, folders }: OpenWorkspace, at: number): ConversationPlace {
  const placed = folders.map((folder) => ({ path: folder, real: path.normalize(folder) }));
  return { ...(file === undefined ? {} : { file }), folders: placed, at };
}

async function readFolder(folder: string): Promise<FolderOnDisk> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return { real: path.normalize(folder), isGone: true };
  return { real, isGone: !(await isFolder(real)) };
}
