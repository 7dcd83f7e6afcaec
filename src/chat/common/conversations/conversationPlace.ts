import * as z from 'zod';
import { fileNameOf } from '../../../base/common/text/fileNameOf';
import { isInside, relativePathIn } from '../../../editor/common/boundary';

/** What a Git repository is recognized by after it was moved or cloned again, and a folder's path inside of it. */
const Repository = z.object({ first: z.string().optional(), remote: z.string().optional(), below: z.string() });
export type RepositoryIdentity = z.infer<typeof Repository>;

/** A folder as VS Code has opened it, and where it is without symbolic links. Both paths are absolute. */
const PlacedFolder = z.object({ path: z.string(), real: z.string(), repository: Repository.optional() });
type PlacedFolder = z.infer<typeof PlacedFolder>;

/** Where a conversation has worked. */
export const ConversationPlace = z.object({
  /** Absolute path of the `.code-workspace` file, if the workspace was saved. */
  file: z.string().optional(),
  /** The workspace folders, those of the last window first. */
  folders: z.array(PlacedFolder),
  /** When the folders had these paths, in milliseconds since the epoch. */
  at: z.number(),
});
export type ConversationPlace = z.infer<typeof ConversationPlace>;

/** The user has moved a folder, or Backline has found it elsewhere. Both paths are absolute. */
export interface FolderMove {
  readonly from: string;
  readonly to: string;
}

/** A move of which the user has told Backline. Folders that had their path later were not moved. */
export interface LocatedFolder extends FolderMove {
  /** In milliseconds since the epoch, as `at` of a place. */
  readonly at: number;
}

/** What is known of a folder on disk now. */
export interface FolderOnDisk {
  /** Its path without symbolic links. */
  readonly real: string;
  readonly isGone: boolean;
}

/** Maximum number of folders of a conversation. */
const maxFolders = 20;

/** Returns the path after a move. Undefined if the move does not concern it. */
export function movedPath(path: string, moves: readonly FolderMove[]): string | undefined {
  const [move] = moves
    .filter(({ from }) => isInside(path, from, false))
    .toSorted((one, other) => other.from.length - one.from.length);
  return move && joined(move.to, relativePathIn(path, move.from, false) ?? '');
}

/** Applies the moves of which the user has told Backline, in their order. */
export function locate(path: string, at: number, located: readonly LocatedFolder[]): string {
  const later = located.filter((move) => move.at > at).toSorted((one, other) => one.at - other.at);
  return later.reduce((now, move) => movedPath(now, [move]) ?? now, path);
}

/**
 * Whether a conversation belongs to this window: its workspace file, or one of its folders, a parent or a child of it, or
 * the same repository.
 */
export function isSamePlace(place: ConversationPlace, here: ConversationPlace): boolean {
  if (place.file !== undefined && place.file === here.file) return true;
  if (place.folders.length === 0 || here.folders.length === 0) return place.folders.length === here.folders.length;
  return place.folders.some((one) => here.folders.some((other) => isSameFolder(one, other)));
}

/**
 * Returns how the paths of a conversation differ from those that this window has for the same files: because a folder was
 * moved, is opened through a symbolic link, or is gone while this window has its repository.
 */
export function movesTo(
  place: ConversationPlace,
  here: ConversationPlace,
  located: readonly LocatedFolder[],
  onDisk: (path: string) => FolderOnDisk,
): readonly FolderMove[] {
  return place.folders.flatMap((folder) => {
    const path = locate(folder.path, place.at, located);
    const { isGone, real } = onDisk(path);
    const same = here.folders.find((other) => path === other.path || isInside(path, other.path, false));
    const linked = here.folders.find((other) => isInside(real, other.real, false));
    const inside = here.folders.find((other) => isInside(other.real, real, false));
    const found = isGone ? here.folders.find((other) => isSameRepository(folder, other)) : undefined;
    if (same) return moveBetween(folder.path, path);
    if (found) return moveBetween(folder.path, found.path);
    if (linked) return moveBetween(folder.path, joined(linked.path, relativePathIn(real, linked.real, false) ?? ''));
    if (inside && !isInside(inside.path, path, false)) {
      const below = relativePathIn(inside.real, real, false) ?? '';
      return [{ from: joined(folder.path, below), to: inside.path }, ...moveBetween(folder.path, path)];
    }
    return moveBetween(folder.path, path);
  });
}

/** Returns the place with its folders where they are now. */
export function placeAfter(place: ConversationPlace, moves: readonly FolderMove[]): ConversationPlace {
  const folders = place.folders.map((folder) => {
    const path = movedPath(folder.path, moves);
    return path === undefined ? folder : { ...folder, path, real: movedPath(folder.real, moves) ?? path };
  });
  return { ...place, folders };
}

/** Returns the place of a conversation that continues in this window, after it has worked elsewhere. */
export function placeContinuedIn(
  here: ConversationPlace,
  before: ConversationPlace | undefined,
  at: number,
): ConversationPlace {
  const paths = new Set(here.folders.map(({ path }) => path));
  // The disk may not have told the repository of this window's folder yet.
  const folders = here.folders.map((folder) => {
    const repository = folder.repository ?? before?.folders.find((one) => one.real === folder.real)?.repository;
    return { ...folder, ...(repository ? { repository } : {}) };
  });
  const others = (before?.folders ?? []).filter(({ path }) => !paths.has(path));
  return { ...here, folders: [...folders, ...others].slice(0, maxFolders), at };
}

/** Whether two places say the same, but for their times. */
export function isEqualPlace(one: ConversationPlace, other: ConversationPlace): boolean {
  return one.file === other.file && textOf(one) === textOf(other);
}

function textOf({ folders }: ConversationPlace): string {
  const texts = folders.flatMap(({ path, real, repository }) => [
    path,
    real,
    repository?.first ?? '',
    repository?.remote ?? '',
    repository?.below ?? '',
  ]);
  return texts.join('\0');
}

/** A repository, or a folder without one. All worktrees and clones of a repository have the same `id`. */
export interface NamedRepository {
  readonly id: string;
  readonly name: string;
}

/** The names of the repositories of places. */
export class RepositoryNames {
  /** A repository can get its remote after conversations in it, and a clone can begin with another commit. */
  private readonly remoteByFirst = new Map<string, string>();
  /** Worktrees have folders with different names. The shortest one is that of the repository most often. */
  private readonly nameByFirst = new Map<string, string>();
  /** Differs whenever `of` may return something else for the same folder. */
  version = 0;
  private known = new WeakMap<PlacedFolder, NamedRepository>();

  /** Call with all places before the first call of `of`. */
  learn({ folders }: ConversationPlace): void {
    for (const folder of folders) {
      const { first, remote } = folder.repository ?? {};
      if (first === undefined) continue;
      const [known, name] = [this.nameByFirst.get(first), nameOfTop(folder)];
      const isBetter =
        known === undefined || name.length < known.length || (name.length === known.length && name < known);
      const isRemoteNew = remote !== undefined && !this.remoteByFirst.has(first);
      if (!isBetter && !isRemoteNew) continue;
      if (isBetter) this.nameByFirst.set(first, name);
      if (isRemoteNew) this.remoteByFirst.set(first, remote);
      this.known = new WeakMap();
      this.version++;
    }
  }

  /** Returns the repository of a folder. The same object for the same one, until more was learned. */
  of(folder: PlacedFolder): NamedRepository {
    const known = this.known.get(folder) ?? this.find(folder);
    this.known.set(folder, known);
    return known;
  }

  private find(folder: PlacedFolder): NamedRepository {
    const { first, remote } = folder.repository ?? {};
    const known = remote ?? (first === undefined ? undefined : this.remoteByFirst.get(first));
    if (known !== undefined) return { id: known, name: fileNameOf(known) };
    if (first === undefined) return { id: folder.real, name: nameOfTop(folder) };
    return { id: first, name: this.nameByFirst.get(first) ?? nameOfTop(folder) };
  }
}

/** Returns the name of the folder that has the whole repository, or of the folder itself if it is in none. */
function nameOfTop({ real, repository: { below } = { below: '' } }: PlacedFolder): string {
  return (
    real
      .split(/[\\/]/)
      .slice(0, below === '' ? undefined : -below.split('/').length)
      .at(-1) ?? ''
  );
}

/** Returns the folder of a place in which an agent works: the innermost one around `path` (absolute), or the first one. */
export function folderAround({ folders }: ConversationPlace, path: string | undefined): PlacedFolder | undefined {
  const around = folders.filter((one) => path !== undefined && isInside(path, one.path, false));
  return around.toSorted((one, other) => other.path.length - one.path.length)[0] ?? folders[0];
}

function isSameFolder(one: PlacedFolder, other: PlacedFolder): boolean {
  const isNested = (path: string, another: string): boolean =>
    isInside(path, another, false) || isInside(another, path, false);
  return isNested(one.path, other.path) || isNested(one.real, other.real) || isSameRepository(one, other);
}

function isSameRepository({ repository: one }: PlacedFolder, { repository: other }: PlacedFolder): boolean {
  if (one?.below !== other?.below) return false;
  const isSame = (a: string | undefined, b: string | undefined): boolean => a !== undefined && a === b;
  return isSame(one?.first, other?.first) || isSame(one?.remote, other?.remote);
}

function moveBetween(from: string, to: string): FolderMove[] {
  return from === to ? [] : [{ from, to }];
}

function joined(folder: string, below: string): string {
  if (below === '') return folder;
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  return `${folder.replace(/[\\/]+$/, '')}${separator}${below}`;
}
