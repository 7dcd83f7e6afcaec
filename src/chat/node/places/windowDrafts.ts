import * as path from 'node:path';
import * as z from 'zod';
import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import { isProcessAlive } from '../../../base/node/isProcessAlive';
import { isSamePlace, type ConversationPlace } from '../../common/conversations/conversationPlace';
import { findConversationsFolder, type OpenWorkspace } from '../conversationsFolder';

const suffix = '.json';
const emptyPrefix = 'none-';
const windowIdName = 'chat.windowId';
/** VS Code opens a folder in the same window within this time after the window has closed. */
const handOverMs = 2 * 60_000;

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
 * the user works: a folder is opened from an empty window, or added, or the workspace is saved. Then the next window
 * takes over what this one has left.
 */
export class WindowDrafts implements Memento {
  private writing: Promise<void> = Promise.resolve();
  private isClosed = false;

  private constructor(
    private readonly deps: WindowDraftsDeps,
    private readonly file: string,
    private values: Readonly<Record<string, unknown>>,
  ) {}

  /** Reads the drafts of this workspace. Never rejects. */
  static async load(deps: WindowDraftsDeps): Promise<WindowDrafts> {
    const { files, folder, log } = deps;
    const file = path.join(folder, `${await nameOf(deps)}${suffix}`);
    try {
      await files.makeFolder(folder);
      const own = await read(files, file);
      if (own) return new WindowDrafts(deps, file, own.values);
      const left = await findLeft(deps);
      // The file is moved, so that only one window takes it over.
      if (left && (await files.moveIfExists(left, file))) {
        const drafts = new WindowDrafts(deps, file, (await read(files, file))?.values ?? {});
        await drafts.write();
        return drafts;
      }
    } catch (error) {
      log.warn(`Cannot read the draft of the next conversation: ${messageOf(error)}`);
    }
    return new WindowDrafts(deps, file, {});
  }

  get(name: string): unknown {
    return name in this.values ? this.values[name] : this.deps.workspaceState.get(name);
  }

  update(name: string, value: unknown): Promise<void> {
    this.values = { ...this.values, [name]: value };
    return this.write();
  }

  /** Notes that the window has closed, so that the next one can take over. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (Object.keys(this.values).length > 0) await this.write().catch(() => undefined);
  }

  private write(): Promise<void> {
    const { clock, files, workspace } = this.deps;
    // Several waiting writes all store the newest values.
    const next = this.writing
      .catch(() => undefined)
      .then(async () => {
        const { isClosed, values } = this;
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
    this.writing = next;
    return next;
  }
}

/** Returns the name of the file: one for each workspace, and one for each window without a folder. */
async function nameOf({ newId, workspace, workspaceState }: WindowDraftsDeps): Promise<string> {
  if (workspace.folders.length > 0) return path.basename(await findConversationsFolder('/', workspace));
  const known = workspaceState.get(windowIdName);
  const id = typeof known === 'string' ? known : newId();
  if (id !== known) void workspaceState.update(windowIdName, id);
  return `${emptyPrefix}${id}`;
}

/** Returns the newest file that another window has left just now whose workspace has become this one. */
async function findLeft({ clock, files, folder, workspace }: WindowDraftsDeps): Promise<string | undefined> {
  const here = placeOf(workspace.file, workspace.folders);
  let newest: { readonly file: string; readonly at: number } | undefined;
  for (const name of (await files.listNames(folder)).filter((one) => one.endsWith(suffix))) {
    const file = path.join(folder, name);
    // Drafts may have images, so only new files are read.
    const changedAt = (await files.modifiedAt(file)) ?? 0;
    if (clock.now() - changedAt > handOverMs) continue;
    const stored = await read(files, file);
    if (!stored || clock.now() - stored.at > handOverMs) continue;
    if (!stored.isClosed && stored.pid !== process.pid && isProcessAlive(stored.pid)) continue;
    const isEmptyWindow = name.startsWith(emptyPrefix) && here.folders.length > 0;
    if (!isEmptyWindow && !isSamePlace(placeOf(stored.file, stored.folders), here)) continue;
    if (!newest || stored.at > newest.at) newest = { file, at: stored.at };
  }
  return newest?.file;
}

function placeOf(file: string | undefined, folders: readonly string[]): ConversationPlace {
  return { ...(file === undefined ? {} : { file }), folders: folders.map((one) => ({ path: one, real: one })), at: 0 };
}

async function read(files: FilePort, file: string): Promise<Stored | undefined> {
  return Stored.safeParse(parseJson((await files.read(file)) ?? '')).data;
}
