import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import type { FileTimes } from '../../../../src/changes/node/scan/fileAges';
import { hunksBetween } from '../../../../src/changes/common/review/hunks';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import {
  isConflict,
  undoInFiles,
  undoUnlessEdited,
  type Undone,
} from '../../../../src/chat/common/restore/undoChanges';
import { isPickedByDefault, restoreRows } from '../../../../src/chat/common/restore/restoreRows';
import { canUndo, inUndoOrder } from '../../../../src/transcript/common/shownChanges';
import { isCheckpointError } from '../../../../src/changes/common/checkpointError';
import { isEditorError } from '../../../../src/editor/common/editorPort';
import { ChatError } from '../../../../src/chat/common/chatPorts';
import { gitIn, TestWorkspace } from '../../changes/support/workspace';
import { DiskWindow } from './diskWindow';
import { PassedTimes } from './passedTimes';
import { event } from './transcriptRecorder';

const { signal } = new AbortController();

export const places = ['a.txt', 'b.log', 'd/x.txt', 'local/n.txt'];
export const forms = ['lines', 'crlf', 'mixed', 'open', 'binary', 'empty'] as const;
export const ruleFiles = ['.gitignore', 'd/.gitignore', '.git/info/exclude', '../.gitignore'];

/** What the user, another program or the agent does with files. */
export type Act =
  | { readonly kind: 'write'; readonly place: string; readonly form: (typeof forms)[number] }
  | { readonly kind: 'edit'; readonly place: string; readonly line: number }
  | { readonly kind: 'remove'; readonly place: string }
  | { readonly kind: 'mode'; readonly place: string }
  | { readonly kind: 'link'; readonly place: string }
  | { readonly kind: 'rename'; readonly place: string; readonly to: string }
  | { readonly kind: 'rules'; readonly file: string; readonly rules: string }
  | { readonly kind: 'nest'; readonly folder: string }
  | { readonly kind: 'git'; readonly does: 'commit' | 'anew' };

/** How the agent works in a turn: it only talks, runs a command, edits files by itself, or writes through the editor. */
type Work = 'talk' | 'command' | 'edit' | 'editor';

export type Step =
  | { readonly kind: 'user'; readonly act: Act }
  | {
      readonly kind: 'turn';
      readonly work: Work;
      readonly acts: readonly { readonly by: 'user' | 'agent'; readonly act: Act }[];
    }
  /** An hour passes: what was there is old from then on. */
  | { readonly kind: 'pass' }
  | { readonly kind: 'keep'; readonly file: number | undefined }
  | { readonly kind: 'keepHunk'; readonly file: number; readonly hunk: number }
  | { readonly kind: 'undoHunk'; readonly file: number; readonly hunk: number }
  | {
      readonly kind: 'undo';
      /** All files if undefined. */
      readonly file: number | undefined;
      readonly isForced: boolean;
      readonly isOfTurn: boolean;
      readonly comesBack: boolean;
      /** What somebody does before the file is undone: before it is saved, or after. */
      readonly meanwhile?: Act | undefined;
      readonly isMeanwhileLate: boolean;
    }
  | {
      readonly kind: 'restore';
      readonly prompt: number;
      readonly picks: 'default' | 'all';
      readonly isFork: boolean;
      readonly comesBack: boolean;
      /** What somebody does between the list of files and the restore. */
      readonly meanwhile?: Act | undefined;
    }
  | {
      readonly kind: 'undoRestore';
      readonly which: number;
      readonly comesBack: boolean;
      readonly meanwhile?: Act | undefined;
    };

/** Every file below the folder, by name: its kind, whether it is executable, and its bytes. */
type Files = ReadonlyMap<string, string>;

interface KnownRestore {
  readonly chat: Chat;
  readonly id: string;
}

/** A real folder, with real Git, in which a user, other programs and an agent work, and everything is remembered. */
export class GuardedRepository {
  private count = 0;
  /** Files that a call of the agent can have made, by name. */
  private readonly mayBeAgents = new Set<string>();
  /** Restores and undos that may still be undone, the newest last. */
  private restores: KnownRestore[] = [];
  /** The files that an act of Backline has left, to tell them from later ones. */
  private readonly leftByRestore = new Map<string, Files>();
  private chat: Chat;
  private isWriting = false;

  private constructor(
    private readonly workspace: TestWorkspace,
    private readonly window: DiskWindow,
    chat: Chat,
    private readonly times: PassedTimes,
  ) {
    this.chat = chat;
  }

  static async open(
    hasGit: 'none' | 'folder' | 'parent',
    first: readonly Act[],
    births: FileTimes['births'] = 'reliable',
  ): Promise<GuardedRepository> {
    const workspace = new TestWorkspace();
    if (hasGit === 'folder') workspace.commitAll();
    if (hasGit === 'parent') {
      writeFileSync(path.join(workspace.root, '.gitignore'), '/storage/\n/chats/\n');
      gitIn(workspace.root, 'init', '-q');
    }
    const times = new PassedTimes(births);
    const window = await DiskWindow.open(workspace, { fileTimes: times });
    for (const { backends } of [window.backends]) for (const backend of backends) backend.runsCommand = false;
    const repository = new GuardedRepository(workspace, window, await window.create(), times);
    for (const act of first) repository.act(act, 'user');
    return repository;
  }

  async dispose(): Promise<void> {
    await this.window.close();
    await this.workspace.dispose();
  }

  async take(step: Step): Promise<void> {
    const before = this.files();
    if (step.kind === 'user') this.act(step.act, 'user');
    else if (step.kind === 'pass') this.times.pass(this.workspace.folder);
    else if (step.kind === 'turn') await this.turn(step);
    else if (step.kind === 'keep') {
      await this.keep(step.file);
      assert.deepEqual(this.files(), before, 'Keep changes no file');
    } else if (step.kind === 'keepHunk') {
      await this.hunk(step.file, step.hunk, 'keep');
      assert.deepEqual(this.files(), before, 'Keep changes no file');
    } else if (step.kind === 'undoHunk') await this.hunk(step.file, step.hunk, 'undo');
    else if (step.kind === 'undo') await this.undo(step);
    else if (step.kind === 'restore') await this.restore(step);
    else await this.undoRestore(step);
  }

  file(name: string): string {
    return this.workspace.file(name);
  }

  private async turn({ acts, work }: Extract<Step, { kind: 'turn' }>): Promise<void> {
    const { chat, window } = this;
    await window.begin(chat);
    const agent = window.backends.backends[0]?.last;
    const call = { call_id: `call ${++this.count}`, tool_name: 'tool', operation: 'tool' };
    const locations = acts.flatMap(({ act, by }) =>
      by === 'agent' && 'place' in act ? [{ path: this.file(act.place) }] : [],
    );
    if (work === 'command') agent?.tell(event('tool:pre', { ...call, kind: 'execute', input: {} }));
    if (work === 'edit') agent?.tell(event('tool:pre', { ...call, kind: 'edit', input: {}, locations }));
    this.isWriting = work !== 'talk';
    const before = this.files();
    for (const { act, by } of acts) {
      if (by === 'user') this.act(act, 'user');
      else if (work === 'editor') await this.writeInEditor(act);
      else if (work !== 'talk') this.act(act, 'agent');
    }
    // What changed while a call ran can be the call's work.
    if (this.isWriting) for (const name of differing(before, this.files())) this.mayBeAgents.add(name);
    this.isWriting = false;
    if (work === 'command' || work === 'edit') agent?.tell(event('tool:post', { ...call, result: { success: true } }));
    await window.end(chat);
    await chat.restores.whenTurnRecorded();
  }

  private async writeInEditor(act: Act): Promise<void> {
    if (act.kind !== 'write' && act.kind !== 'edit') return;
    const text = act.kind === 'write' ? this.contentOf(act.form) : this.edited(act.place, act.line);
    if (typeof text !== 'string' || !this.canWrite(act.place)) return;
    this.mayBeAgents.add(act.place);
    await ifPossible(() => this.window.write(this.file(act.place), text));
  }

  private async keep(file: number | undefined): Promise<void> {
    if (file === undefined) await this.chat.keepChanges();
    const name = file === undefined ? undefined : this.changedPath(file);
    if (name !== undefined) await ifPossible(() => this.chat.keepChanges(name));
  }

  private async hunk(file: number, which: number, does: 'keep' | 'undo'): Promise<void> {
    const name = this.changedPath(file);
    if (name === undefined) return;
    const { fileChanges } = this.chat;
    const before = this.files();
    const seen = await this.textsOf(name);
    const hunks = seen && hunksBetween(seen.baseline, seen.text);
    const hunk = hunks?.[which % Math.max(hunks.length, 1)];
    if (!seen || !hunk) return;
    if (does === 'keep') await ifPossible(() => fileChanges.keepHunk(name, hunk, seen));
    else await ifPossible(() => fileChanges.undoHunk(name, hunk, seen));
    if (does === 'keep') return;
    const lost = differing(before, this.files());
    assert.ok(lost.length <= 1, 'only one file is changed');
    const ids = this.newRestores();
    if (ids.length > 0 || lost.length === 0) {
      await this.requireWayBack(before, ids, true);
      return;
    }
    // VS Code’s own Undo brings the text of the editor back, with one kind of line endings.
    const text = JSON.stringify(Buffer.from(seen.text).toString('latin1'));
    assert.equal(before.get(path.relative(this.workspace.folder, name))?.endsWith(` ${text}`), true, 'text is exact');
  }

  /** The restore that an act has just recorded. */
  private newRestores(): string[] {
    const { last } = this.chat.restores;
    return last === undefined || this.restores.some(({ id }) => id === last.id) ? [] : [last.id];
  }

  private async textsOf(name: string): Promise<{ baseline: string; text: string } | undefined> {
    const baseline = await this.chat.fileChanges.baseline(name);
    const text = await this.window.editor.readText(name).catch(() => undefined);
    return baseline === undefined || text === undefined ? undefined : { baseline: baseline ?? '', text: text.text };
  }

  private async undo(step: Extract<Step, { kind: 'undo' }>): Promise<void> {
    const { chat } = this;
    await chat.fileChanges.refresh();
    const turn = step.isOfTurn ? Math.max(1, chat.sentPromptTexts.length) : undefined;
    const one = step.file === undefined ? undefined : this.changedPath(step.file);
    const all = inUndoOrder(chat.fileChanges.list.filter(canUndo)).map((change) => change.path);
    const paths = step.file === undefined ? all : one === undefined ? [] : [one];
    if (paths.length === 0) return;
    if (step.meanwhile && !step.isMeanwhileLate) this.act(step.meanwhile, 'user');
    let before = this.files();
    let late = step.isMeanwhileLate ? step.meanwhile : undefined;
    const undo = async (file: string, undoId: string): Promise<Undone | undefined> => {
      if (late) {
        before = this.actLate(late, before);
        late = undefined;
      }
      const options = { protectedFiles: 'allow', undoId } as const;
      if (step.file === undefined) return (await undoUnlessEdited(chat, file, options)).undone;
      try {
        return { restoreId: await chat.revert(file, { ...options, turn }) };
      } catch (error) {
        if (!step.isForced || !isConflict(error)) throw error;
        return { restoreId: await chat.revert(file, { ...options, turn, force: true }) };
      }
    };
    const scope = step.file === undefined ? undefined : turn;
    const { restored } = await undoInFiles(chat, paths, scope, undo);
    this.requireOthersFiles(before);
    await this.requireWayBack(before, [...new Set(restored.map(({ restoreId }) => restoreId))], step.comesBack);
  }

  /** Acts while an undo runs. Returns the files before, as far as nothing has undone them yet. */
  private actLate(act: Act, before: Files): Files {
    const was = this.files();
    this.act(act, 'user');
    const now = this.files();
    const updated = new Map(before);
    for (const name of differing(was, now)) {
      const content = now.get(name);
      if (before.get(name) !== was.get(name)) continue;
      if (content === undefined) updated.delete(name);
      else updated.set(name, content);
    }
    return updated;
  }

  private async restore(step: Extract<Step, { kind: 'restore' }>): Promise<void> {
    const { chat, window } = this;
    const prompts = [...chat.transcript.entries()].filter((entry) => entry.kind === 'prompt');
    const entryId = prompts[step.prompt % Math.max(prompts.length, 1)]?.id;
    if (entryId === undefined) return;
    const point = await chat.restores.restorePointBefore(entryId);
    if (point.folders.length === 0) return;
    const preview = await window.checkpoints.planRestore(point.folders, signal).catch((error: unknown) => {
      // The names of a folder that were only in the user's repository are gone with it. The user is told so.
      if (!isCheckpointError(error) || error.code !== 'contentMissing') throw error;
      return undefined;
    });
    if (!preview) return;
    const rows = restoreRows(preview.changes, {
      byAgent: point.writtenPaths,
      byCommand: point.pathsByCommand,
      byOtherConversations: new Map(),
      edited: await chat.restores.pathsEditedByOthers(point, (file) =>
        window.checkpoints.textAfterRestore(preview, file),
      ),
      unsaved: new Set(),
    });
    const paths = rows.filter((row) => step.picks === 'all' || isPickedByDefault(row)).map((row) => row.path);
    if (step.meanwhile) this.act(step.meanwhile, 'user');
    const before = this.files();
    const request = { chat, entryId, point, preview, paths, refused: [], canChange: () => true, isFork: step.isFork };
    const { chat: next } = await window.restorer.restore(request, signal);
    this.chat = next;
    if (step.picks === 'default') this.requireOthersFiles(before);
    await this.requireWayBack(before, this.newRestores(), step.comesBack);
  }

  private async undoRestore({ comesBack, meanwhile, which }: Extract<Step, { kind: 'undoRestore' }>): Promise<void> {
    const alive = this.restores.filter(({ chat, id }) => chat.restores.get(id) !== undefined);
    const chosen = alive[which % Math.max(alive.length, 1)];
    if (!chosen) return;
    let before = this.files();
    const left = this.leftByRestore.get(chosen.id) ?? new Map<string, string>();
    await this.bringBack(chosen, () => {
      if (meanwhile) before = this.actLate(meanwhile, before);
    });
    // What the restore has left comes back when the same is restored again.
    const edited = new Map([...before].filter(([name, content]) => left.get(name) !== content));
    await this.requireWayBack(edited, this.newRestores(), comesBack);
  }

  private async bringBack({ chat, id }: KnownRestore, meanwhile = (): void => undefined): Promise<void> {
    const restore = chat.restores.get(id);
    assert.ok(restore, 'the restore is still known');
    const files = await this.window.restorer.previewUndo(chat, restore, signal);
    const edited = this.files();
    meanwhile();
    const isQuiet = differing(edited, this.files()).length === 0;
    const { chat: next, skipped } = await this.window.restorer.undo(
      chat,
      restore,
      { ...files, refused: [], left: [] },
      signal,
    );
    // A folder that came back meanwhile, with whatever is in it, is not deleted for a file. The user is told so.
    const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const inTheWay = skipped.filter(({ path }) => isFolder(path));
    if (isQuiet) assert.deepEqual(skipped, inTheWay);
    this.chat = next;
  }

  /** Requires that everything that was there before is still there, or comes back with these restores. */
  private async requireWayBack(before: Files, ids: readonly string[], comesBack: boolean): Promise<void> {
    const { chat } = this;
    const after = this.files();
    for (const name of after.keys()) if (!before.has(name)) this.mayBeAgents.add(name);
    const lost = [...before.keys()].filter((name) => after.get(name) !== before.get(name));
    const restores = ids.map((id) => ({ chat, id }));
    for (const { id } of restores) this.leftByRestore.set(id, after);
    this.restores.push(...restores);
    if (lost.length > 0) assert.notEqual(ids.length, 0, `no way back for ${lost.join(', ')}`);
    if (!comesBack || ids.length === 0) return;
    for (const restore of restores) await this.bringBack(restore);
    const again = this.files();
    const missing = [...before.keys()].filter((name) => again.get(name) !== before.get(name));
    assert.deepEqual(
      missing,
      [],
      `do not come back: ${missing.map((name) => `${name}: ${before.get(name) ?? ''} is ${again.get(name) ?? 'gone'}`).join('; ')}`,
    );
  }

  /** Requires that no file was deleted that no call of the agent can have made. */
  private requireOthersFiles(before: Files): void {
    const after = this.files();
    const deleted = [...before.keys()].filter((name) => !after.has(name) && !this.mayBeAgents.has(name));
    assert.deepEqual(deleted, [], 'no file of somebody else is deleted');
  }

  private changedPath(which: number): string | undefined {
    const paths = this.chat.fileChanges.list.filter(canUndo).map((change) => change.path);
    return paths[which % Math.max(paths.length, 1)];
  }

  /** Acts on the disk, if possible. */
  private act(act: Act, by: 'user' | 'agent'): void {
    const before = this.files();
    this.change(act);
    const after = this.files();
    if (by === 'user' && !this.isWriting) {
      for (const name of after.keys()) if (!before.has(name)) this.mayBeAgents.delete(name);
    }
  }

  private change(act: Act): void {
    if (act.kind === 'git') {
      const hasGit = existsSync(this.file('.git'));
      if (act.does === 'commit' && hasGit) this.workspace.commitAll();
      if (act.does === 'anew' && hasGit) {
        rmSync(this.file('.git'), { recursive: true });
        this.workspace.git('init', '-q');
      }
      return;
    }
    if (act.kind === 'rules') {
      const file = this.file(act.file);
      if (act.file.includes('.git/') ? !existsSync(path.dirname(file)) : !this.canWrite(act.file)) return;
      const always = act.file.startsWith('..') ? '/storage/\n/chats/\n' : '';
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, always + act.rules);
      return;
    }
    if (act.kind === 'nest') {
      const folder = this.file(act.folder);
      if (!existsSync(folder) || !lstatSync(folder).isDirectory()) return;
      if (existsSync(path.join(folder, '.git'))) rmSync(path.join(folder, '.git'), { recursive: true });
      else {
        gitIn(folder, 'init', '-q');
        gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
      }
      return;
    }
    const file = this.file(act.place);
    const info = lstatSync(file, { throwIfNoEntry: false });
    if (act.kind === 'remove') rmSync(file, { recursive: true, force: true });
    else if (act.kind === 'mode') {
      if (info?.isFile()) chmodSync(file, info.mode ^ 0o111);
    } else if (act.kind === 'rename') {
      const target = this.file(act.to);
      const isFree = lstatSync(target, { throwIfNoEntry: false }) === undefined;
      if (!info || !this.canWrite(act.to) || !isFree || act.to.startsWith(`${act.place}/`)) return;
      mkdirSync(path.dirname(target), { recursive: true });
      renameSync(file, target);
    } else if (this.canWrite(act.place)) {
      mkdirSync(path.dirname(file), { recursive: true });
      if (act.kind === 'link') {
        rmSync(file, { force: true });
        symlinkSync(`target ${++this.count}`, file);
        return;
      }
      const content = act.kind === 'write' ? this.contentOf(act.form) : this.edited(act.place, act.line);
      if (content === undefined) return;
      if (info?.isSymbolicLink()) rmSync(file);
      writeFileSync(file, content);
    }
  }

  /** Whether no folder is in the place of the file, and no file in the place of its folder. */
  private canWrite(place: string): boolean {
    const parts = place.split('/');
    const isFolder = (name: string): boolean =>
      lstatSync(this.file(name), { throwIfNoEntry: false })?.isDirectory() ?? true;
    const above = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('/'));
    const info = lstatSync(this.file(place), { throwIfNoEntry: false });
    return above.every(isFolder) && info?.isDirectory() !== true;
  }

  private contentOf(form: (typeof forms)[number]): string | Buffer {
    const lines = Array.from({ length: 9 }, (_, line) => `text ${++this.count}, line ${line}`);
    if (form === 'crlf') return `${lines.join('\r\n')}\r\n`;
    if (form === 'mixed') return lines.map((line, at) => line + (at % 2 === 0 ? '\r\n' : '\n')).join('');
    if (form === 'open') return lines.join('\n');
    if (form === 'binary') return Buffer.from([0, 1, 0xff, ...Buffer.from(lines.join('\n'))]);
    return form === 'empty' ? '' : `${lines.join('\n')}\n`;
  }

  /** Replaces a line. Undefined if the file has no text. */
  private edited(place: string, line: number): string | undefined {
    const info = lstatSync(this.file(place), { throwIfNoEntry: false });
    if (!info?.isFile()) return undefined;
    const bytes = readFileSync(this.file(place));
    if (bytes.includes(0)) return undefined;
    const parts = bytes.toString('utf8').split(/(?<=\n)/);
    const at = line % parts.length;
    return parts
      .map((part, index) => (index === at ? part.replace(/^[^\r\n]*/, `edit ${++this.count}`) : part))
      .join('');
  }

  private files(): Files {
    const files = new Map<string, string>();
    for (const name of readdirSync(this.workspace.folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (name.split(path.sep).includes('.git')) continue;
      const info = lstatSync(this.file(name));
      if (info.isSymbolicLink()) files.set(name, `link ${readlinkSync(this.file(name))}`);
      else if (info.isFile()) {
        const bytes = readFileSync(this.file(name)).toString('latin1');
        files.set(name, `${(info.mode & 0o100) === 0 ? 'file' : 'program'} ${JSON.stringify(bytes)}`);
      }
    }
    return files;
  }
}

function differing(one: Files, other: Files): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));
}

/** Does something that may be refused with an error for the user. */
async function ifPossible(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ChatError) && !isEditorError(error) && !isCheckpointError(error)) throw error;
  }
}
