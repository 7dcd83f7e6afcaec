import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { Prompt } from '../answer/prompt';
import { EditorToolClient } from './editorToolClient';
import { HistoryItem } from './history';

const StoredSession = z.object({
  id: z.uuid(),
  cwd: z.string(),
  additionalDirectories: z.array(z.string()),
  title: z.string().optional(),
  /** Time of the last change, in RFC 3339 format. */
  updatedAt: z.string(),
  history: z.array(HistoryItem),
  /** The last prompt if its answer was interrupted, and the number of words that were already sent. */
  cutOff: z.object({ text: z.string(), saidWords: z.number() }).optional(),
});
type StoredSession = z.infer<typeof StoredSession>;

export const demoModes = [
  { id: 'ask', name: 'Ask', description: 'Ask before every edit' },
  {
    id: 'auto-edit',
    name: 'Auto edit',
    description: 'Edit files without asking. Everything else is the same as in Ask',
  },
] as const;
type ModeId = (typeof demoModes)[number]['id'];

export const demoSpeeds = [
  { value: 'quick', name: 'Quick', description: 'Whole paragraphs at once', wordMs: 0 },
  { value: 'steady', name: 'Steady', description: 'A word every 20 ms', wordMs: 20 },
  { value: 'slow', name: 'Slow', description: 'A word every 80 ms', wordMs: 80 },
] as const;
type PaceId = (typeof demoSpeeds)[number]['value'];

/** An open session. Its settings exist only in this process. */
export interface DemoSession extends StoredSession {
  mode: ModeId;
  pace: PaceId;
  isVerbose: boolean;
  editRule: 'ask' | 'allow' | 'reject';
  callCount: number;
  turn: AbortController | undefined;
  /** Prompts that were added to the turn and are not answered yet. Undefined if it takes none. */
  addedPrompts: Prompt[] | undefined;
  /** The client's tools. Undefined if it offers none. */
  editorTools: EditorToolClient | undefined;
}

interface ClientFolders {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: Parameters<typeof EditorToolClient.of>[0];
}

/** The parameters of `session/fork` (a draft, the same in both versions of the protocol). */
export const ForkSession = z.looseObject({
  sessionId: z.string(),
  cwd: z.string(),
  additionalDirectories: z.array(z.string()).default([]),
  mcpServers: z.array(z.unknown()).default([]),
});

const sessionsPerPage = 50;

/** The demo agent's sessions: in memory, and optionally in a folder that other processes share. */
export class DemoSessions {
  private readonly openSessions = new Map<string, DemoSession>();
  private readonly unsavedIds = new Set<string>();

  /** `folder` is an absolute path. It is created when needed. */
  constructor(private readonly folder: string | undefined) {}

  async create(cwd: string, additionalDirectories: readonly string[]): Promise<DemoSession> {
    const stored = { id: randomUUID(), cwd, additionalDirectories: [...additionalDirectories], history: [] };
    const session = toOpenSession({ ...stored, updatedAt: new Date().toISOString() });
    this.openSessions.set(session.id, session);
    await this.save(session);
    return session;
  }

  /** Creates a copy of a session as it is now. Resolves to undefined if the session does not exist. */
  async fork(id: string, { cwd, additionalDirectories, mcpServers }: ClientFolders): Promise<DemoSession | undefined> {
    const source = await this.load(id);
    if (!source) return undefined;
    const copy = await this.create(cwd, additionalDirectories ?? []);
    const { isVerbose, mode, pace, title } = source;
    Object.assign(copy, { isVerbose, mode, pace, ...withoutUndefined({ title }) });
    copy.history.push(...structuredClone(source.history));
    copy.editorTools = EditorToolClient.of(mcpServers ?? []);
    await this.save(copy);
    return copy;
  }

  get(id: string): DemoSession | undefined {
    return this.openSessions.get(id);
  }

  async load(id: string): Promise<DemoSession | undefined> {
    const known = this.get(id);
    if (known) return known;
    const stored = await this.readStoredSession(`${id}.json`);
    if (stored?.id !== id) return undefined;
    const session = toOpenSession(stored);
    this.openSessions.set(id, session);
    return session;
  }

  /** Loads a session and gives it the folders and servers of the client. Resolves to undefined if it does not exist. */
  async resume(
    id: string,
    { cwd, additionalDirectories, mcpServers }: ClientFolders,
  ): Promise<DemoSession | undefined> {
    const session = await this.load(id);
    if (!session) return undefined;
    session.cwd = cwd;
    session.additionalDirectories = [...(additionalDirectories ?? [])];
    session.editorTools = EditorToolClient.of(mcpServers ?? []);
    return session;
  }

  /** Returns a page of the sessions, newest first, in the format of both versions. Undefined if `cursor` is invalid. */
  async listPage(cwd: string | null | undefined, cursor: string | null | undefined) {
    const start = Number(cursor ?? 0);
    if (!Number.isSafeInteger(start) || start < 0) return undefined;
    const all = (await this.list()).filter((session) => session.cwd === (cwd ?? session.cwd));
    const page = all.slice(start, start + sessionsPerPage);
    return {
      sessions: page.map(({ id, cwd, additionalDirectories, title, updatedAt }) => ({
        ...{ sessionId: id, cwd, additionalDirectories, updatedAt },
        ...withoutUndefined({ title }),
      })),
      ...(start + page.length < all.length ? { nextCursor: String(start + page.length) } : {}),
    };
  }

  /** Returns all sessions, newest first. */
  async list(): Promise<StoredSession[]> {
    const all = new Map<string, StoredSession>(this.openSessions);
    for (const name of await this.listFileNames()) {
      const stored = await this.readStoredSession(name);
      if (stored && !all.has(stored.id)) all.set(stored.id, stored);
    }
    // Empty sessions of other processes are not listed.
    const spoken = [...all.values()].filter(({ history, id }) => history.length > 0 || this.openSessions.has(id));
    return spoken.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  }

  /** Cancels the session's turn. A session that is not on disk stays in memory, so that it can be loaded again. */
  close(id: string): void {
    this.openSessions.get(id)?.turn?.abort();
    if (this.folder !== undefined && !this.unsavedIds.has(id)) this.openSessions.delete(id);
  }

  async delete(id: string): Promise<void> {
    this.openSessions.get(id)?.turn?.abort();
    this.openSessions.delete(id);
    this.unsavedIds.delete(id);
    if (this.folder !== undefined && z.uuid().safeParse(id).success) {
      await rm(join(this.folder, `${id}.json`), { force: true });
    }
  }

  endAllTurns(): void {
    for (const { turn } of this.openSessions.values()) turn?.abort();
  }

  /** Saves atomically. A session that cannot be saved stays in memory. Never rejects. */
  async save(session: DemoSession): Promise<void> {
    if (this.folder === undefined) return;
    const path = join(this.folder, `${session.id}.json`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(`${path}.part`, JSON.stringify(StoredSession.parse(session)), { mode: 0o600 });
      await rename(`${path}.part`, path);
      this.unsavedIds.delete(session.id);
    } catch {
      this.unsavedIds.add(session.id);
    }
  }

  private async listFileNames(): Promise<string[]> {
    if (this.folder === undefined) return [];
    try {
      return (await readdir(this.folder)).filter((name) => name.endsWith('.json'));
    } catch (error) {
      if (isMissingFileError(error)) return [];
      throw error;
    }
  }

  private async readStoredSession(name: string): Promise<StoredSession | undefined> {
    if (this.folder === undefined || !z.uuid().safeParse(name.replace(/\.json$/, '')).success) return undefined;
    try {
      const value: unknown = JSON.parse(await readFile(join(this.folder, name), 'utf8'));
      return StoredSession.safeParse(value).data;
    } catch (error) {
      if (isMissingFileError(error) || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** Also accepts ENOTDIR, which means that a file has the name of the folder. */
function isMissingFileError(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
}

function toOpenSession(stored: StoredSession): DemoSession {
  return {
    ...stored,
    mode: 'ask',
    pace: 'quick',
    isVerbose: false,
    editRule: 'ask',
    callCount: 0,
    turn: undefined,
    addedPrompts: undefined,
    editorTools: undefined,
  };
}
