import * as path from 'node:path';
import * as z from 'zod';
import { KeyedQueue, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import { isProcessAlive } from '../../../base/node/isProcessAlive';
import {
  isSamePlace,
  movedPath,
  placeAfter,
  type ConversationPlace,
  type FolderMove,
} from '../../common/conversations/conversationPlace';
import { attachedTextsName, joinStoredTexts } from '../../common/mentions/attachedTexts';
import { joinStoredDrafts, newDraftName } from '../../common/page/newDraft';
import { findConversationsFolder, type OpenWorkspace } from '../conversationsFolder';

const suffix = '.json';
const emptyPrefix = 'none-';
const windowIdName = 'chat.windowId';
/** VS Code opens a folder in the same window within this time after the window has closed. */
const handOverMs = 2 * 60_000;

/** How what the user has typed in two windows is joined. */
const joins = { [newDraftName]: joinStoredDrafts, [attachedTextsName]: joinStoredTexts };

const Stored = z.object({
  values: z.record(z.string(), z.unknown()),
  file: z.string().optional(),
  folders: z.array(z.string()),
  pid: z.number(),
  /** When it was written last, in milliseconds since the epoch. */
  at: z.number(),
  isClosed: z.boolean(),
});
type Stored = z.infer<typeof Stored>;
type Values = Stored['values'];

interface WindowDraftsDeps {
  /** Absolute path of the folder for the drafts of all windows. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workspace: OpenWorkspace;
  /** VS Code's storage of the workspace, in which versions before have stored the draft. */
  readonly workspaceState: Memento;
  readonly newId: () => string;
}

/**
 * What the user has typed for the next conversation, in a file for each workspace. The workspace of a window changes while
 * the user works: a folder is opened from an empty window, or added, or the workspace is saved. The next window
 * then adds what this one has left to its own.
 */
export class WindowDrafts implements Memento {
  private readonly writes = new KeyedQueue();
  private workspace: OpenWorkspace;
  private isClosed = false;

  private constructor(
    private readonly deps: WindowDraftsDeps,
    private file: string,
    private values: Values = {},
  ) {
    this.workspace = deps.workspace;
  }

  /** Reads the drafts of this workspace. Never rejects. */
  static async load(deps: WindowDraftsDeps): Promise<WindowDrafts> {
    const drafts = new WindowDrafts(deps, await fileOf(deps, deps.workspace));
    await drafts.readStored();
    return drafts;
  }

  /**
   * As `load`, if the window has other folders than when it was loaded: VS Code can tell those of a workspace file late. Call
   * before anything is shown. Never rejects.
   */
  async readAgain(workspace: OpenWorkspace): Promise<void> {
    if (isSameWorkspace(workspace, this.workspace)) return;
    const early = this.file;
    this.workspace = workspace;
    this.file = await fileOf(this.deps, workspace);
    await this.readStored(early);
  }

  get(name: string): unknown {
    return name in this.values ? this.values[name] : this.deps.workspaceState.get(name);
  }

  update(name: string, value: unknown): Promise<void> {
    this.values = { ...this.values, [name]: value };
    return this.write();
  }

  /** The window has other folders now. A draft that was stored for them is shown in the next window on them. Never rejects. */
  async moveWindow(workspace: OpenWorkspace): Promise<void> {
    const { files, log } = this.deps;
    if (isSameWorkspace(workspace, this.workspace)) return;
    this.workspace = workspace;
    try {
      const file = await fileOf(this.deps, workspace);
      await this.inSequence(async () => {
        if (file === this.file || workspace !== this.workspace) return;
        await this.park(file);
        await files.moveIfExists(this.file, file);
        this.file = file;
      });
      if (Object.keys(this.values).length > 0) await this.write();
    } catch (error) {
      log.warn(`Cannot move the draft of the next conversation: ${messageOf(error)}`);
    }
  }

  /**
   * Passes on what was typed for workspaces with a folder that has moved, if they are this workspace now. `use` has to store it.
   * Never rejects.
   */
  async takeMoved(move: FolderMove, use: (left: Values) => Promise<void>): Promise<void> {
    const { files, folder, log } = this.deps;
    const here = placeOf(this.workspace.file, this.workspace.folders);
    try {
      for (const file of await draftFilesIn(files, folder)) {
        const stored = file === this.file ? undefined : await read(files, file);
        if (!stored || isOpenElsewhere(stored)) continue;
        const place = placeOf(stored.file, stored.folders);
        const hasMoved = place.folders.some((one) => movedPath(one.path, [move]) !== undefined);
        if (!hasMoved || !isSamePlace(placeAfter(place, [move]), here)) continue;
        await this.inSequence(() => this.park(file, this.file));
      }
      const taken = takenFileOf(this.file);
      const left = await read(files, taken);
      if (!left) return;
      await use(left.values);
      await this.write();
      await files.remove(taken);
    } catch (error) {
      log.warn(`Cannot read the draft of a folder that has moved: ${messageOf(error)}`);
    }
  }

  /** Notes that the window has closed, so that the next one can take over. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (Object.keys(this.values).length > 0) await this.write().catch(() => undefined);
  }

  /** Reads the file of the workspace, and takes over what other windows have left. `early`: a further file to take over. */
  private async readStored(early?: string): Promise<void> {
    const { files, folder, log } = this.deps;
    const { file } = this;
    try {
      await files.makeFolder(folder);
      this.values = (await read(files, file))?.values ?? {};
      // First what a window has moved that ended before it could add it.
      await this.takeOver();
      const left = await findLeft({ ...this.deps, workspace: this.workspace }, file);
      for (const other of new Set([left, early])) {
        // The file is moved, so that only one window takes it over.
        if (other !== undefined && other !== file && (await files.moveIfExists(other, takenFileOf(file))))
          await this.takeOver();
      }
    } catch (error) {
      log.warn(`Cannot read the draft of the next conversation: ${messageOf(error)}`);
    }
  }

  /** Moves a file to where the owner of another one takes it over, and adds what another window has moved there before. */
  private async park(file: string, owner = file): Promise<void> {
    const { files } = this.deps;
    const taken = takenFileOf(owner);
    const earlier = await read(files, taken);
    const stored = await read(files, file);
    if (!earlier || !stored) {
      await files.moveIfExists(file, taken);
      return;
    }
    const values = joined(stored.values, earlier.values);
    await files.replace(taken, JSON.stringify({ ...stored, values }));
    await files.remove(file);
  }

  /** Adds the values that were moved here from another window. */
  private async takeOver(): Promise<void> {
    const { files } = this.deps;
    const taken = takenFileOf(this.file);
    const other = await read(files, taken);
    if (!other) return;
    const before = Object.fromEntries(
      Object.keys(joins).flatMap((name) => {
        const value = this.get(name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
    this.values = joined({ ...this.values, ...before }, other.values);
    await this.write();
    await files.remove(taken);
  }

  /** Stores the newest values. */
  private write(): Promise<void> {
    const { clock, files } = this.deps;
    return this.inSequence(async () => {
      const { isClosed, values, workspace } = this;
      const stored: Stored = {
        values,
        ...(workspace.file === undefined ? {} : { file: workspace.file }),
        folders: [...workspace.folders],
        pid: process.pid,
        at: clock.now(),
        isClosed,
      };
      await files.replace(this.file, JSON.stringify(stored));
    });
  }

  private inSequence(run: () => Promise<void>): Promise<void> {
    return this.writes.run('file', run);
  }
}

/** Returns the file of a workspace. Each window without a folder has its own. */
async function fileOf(deps: WindowDraftsDeps, workspace: OpenWorkspace): Promise<string> {
  const { folder, newId, workspaceState } = deps;
  if (workspace.folders.length > 0) return `${await findConversationsFolder(folder, workspace)}${suffix}`;
  const known = workspaceState.get(windowIdName);
  const id = typeof known === 'string' ? known : newId();
  if (id !== known) void workspaceState.update(windowIdName, id);
  return path.join(folder, `${emptyPrefix}${id}${suffix}`);
}

function joined(own: Values, left: Values): Values {
  const values: Record<string, unknown> = { ...own, ...left };
  for (const [name, join] of Object.entries(joins)) {
    if (own[name] !== undefined && left[name] !== undefined) values[name] = join(own[name], left[name]);
  }
  return values;
}

/** Returns where the file of another window lies until its values are added to those in `file`. */
function takenFileOf(file: string): string {
  return `${file}.taken`;
}

/** Returns the newest file that another window has left just now whose workspace has become this one. */
async function findLeft(
  { clock, files, folder, workspace }: WindowDraftsDeps,
  own: string,
): Promise<string | undefined> {
  const here = placeOf(workspace.file, workspace.folders);
  let newest: { readonly file: string; readonly at: number } | undefined;
  for (const file of await draftFilesIn(files, folder)) {
    if (file === own) continue;
    // Drafts may have images, so only new files are read.
    const changedAt = (await files.modifiedAt(file)) ?? 0;
    if (clock.now() - changedAt > handOverMs) continue;
    const stored = await read(files, file);
    if (!stored || clock.now() - stored.at > handOverMs) continue;
    if (isOpenElsewhere(stored)) continue;
    const isEmptyWindow = path.basename(file).startsWith(emptyPrefix) && here.folders.length > 0;
    if (!isEmptyWindow && !isSamePlace(placeOf(stored.file, stored.folders), here)) continue;
    if (!newest || stored.at > newest.at) newest = { file, at: stored.at };
  }
  return newest?.file;
}

async function draftFilesIn(files: FilePort, folder: string): Promise<readonly string[]> {
  return (await files.listNames(folder)).filter((name) => name.endsWith(suffix)).map((name) => path.join(folder, name));
}

function isOpenElsewhere({ isClosed, pid }: Stored): boolean {
  return !isClosed && pid !== process.pid && isProcessAlive(pid);
}

function isSameWorkspace(one: OpenWorkspace, other: OpenWorkspace): boolean {
  return one.file === other.file && one.folders.join('\0') === other.folders.join('\0');
}

function placeOf(file: string | undefined, folders: readonly string[]): ConversationPlace {
  return { ...(file === undefined ? {} : { file }), folders: folders.map((one) => ({ path: one, real: one })), at: 0 };
}

async function read(files: FilePort, file: string): Promise<Stored | undefined> {
  return Stored.safeParse(parseJson((await files.read(file)) ?? '')).data;
}
