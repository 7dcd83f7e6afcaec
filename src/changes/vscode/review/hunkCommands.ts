import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { isRecord } from '../../../base/common/isRecord';
import { commandIds, textSchemes, type CommandId } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { Hunk } from '../../common/review/hunks';
import { splitLines } from '../../common/review/lines';
import type { ReviewSource, TextsShownToUser } from '../../common/review/reviewSource';
import type { AgentChangesEditor } from './agentChangesEditor';
import type { BaselineDocuments } from './baselineDocuments';
import { existsOnDisk, findHunkAtLine, hunksOf, rangeOfHunk, type FileHunks } from './fileHunks';

/** A change as VS Code's quick diff passes it. Lines are 1-based, the end is included. End 0: an empty range. */
const LineChange = z.object({
  originalStartLineNumber: z.number(),
  originalEndLineNumber: z.number(),
  modifiedStartLineNumber: z.number(),
  modifiedEndLineNumber: z.number(),
});

const Lines = z.object({ start: z.number(), end: z.number() });
const HunkOfLens = z.object({ before: Lines, after: Lines });

interface HunkCommandsDeps {
  readonly source: ReviewSource;
  readonly baselines: BaselineDocuments;
  readonly editor: Pick<AgentChangesEditor, 'open'>;
  readonly commands: Pick<Commands, 'setHandler'>;
}

/** Registers the commands that keep, undo, show and ask about changes. */
export class HunkCommands implements Disposable {
  private readonly disposables = new DisposableStore();

  constructor(private readonly deps: HunkCommandsDeps) {}

  start(): void {
    const { commands, editor, source } = this.deps;
    const handlers: [CommandId, (...args: readonly unknown[]) => unknown][] = [
      [commandIds.reviewKeepHunk, (...args) => this.keep(args)],
      [commandIds.reviewUndoHunk, (...args) => this.undo(args)],
      [commandIds.reviewAskAboutHunk, (...args) => this.askAbout(args)],
      [commandIds.reviewKeepFile, (target) => source.keepFile(pathOf(target))],
      [commandIds.reviewUndoFile, (target) => source.undoFile(pathOf(target))],
      [commandIds.reviewKeepAll, () => source.keepAll()],
      [commandIds.reviewUndoAll, () => source.undoAll()],
      [commandIds.reviewNext, () => this.goToChange(1)],
      [commandIds.reviewPrevious, () => this.goToChange(-1)],
      [commandIds.reviewOpen, (paths) => editor.open(z.array(z.string()).optional().catch(undefined).parse(paths))],
      [commandIds.reviewOpenFile, (target) => this.openDiff(pathOf(target))],
    ];
    for (const [id, handler] of handlers) this.disposables.add(commands.setHandler(id, handler));
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async keep(args: readonly unknown[]): Promise<void> {
    const { file, hunk } = await this.findTarget(args);
    await this.deps.source.keepHunk(file.path, hunk, file.seen);
  }

  private async undo(args: readonly unknown[]): Promise<void> {
    const { file, hunk } = await this.findTarget(args);
    await this.deps.source.undoHunk(file.path, hunk, file.seen);
  }

  private async askAbout(args: readonly unknown[]): Promise<void> {
    const { file, hunk } = await this.findTarget(args);
    await this.deps.source.askAboutHunk(file.path, hunk, file.seen);
  }

  /**
   * Finds the hunk for the arguments of a command. The inline diff passes file, changes and index; a CodeLens passes
   * file and hunk. Without arguments, uses the cursor.
   */
  private async findTarget([uri, at, index]: readonly unknown[]): Promise<{ file: FileHunks; hunk: Hunk }> {
    const active = vscode.window.activeTextEditor;
    const clicked = uri instanceof vscode.Uri ? uri : active?.document.uri;
    const document = clicked && (await openDocument(clicked));
    const file = document && (await hunksOf(this.deps.source, document));
    if (!file) throw new Error('There are no agent changes in this file.');
    const given = HunkOfLens.safeParse(at).data;
    if (given) return { file, hunk: required(file.hunks.find((hunk) => isSameHunk(hunk, given))) };
    if (Array.isArray(at)) {
      const hunk = hunkOfChange(LineChange.parse(at[typeof index === 'number' ? index : 0]));
      return { file, hunk: required(isBetweenSameLines(hunk, file.seen) ? hunk : undefined) };
    }
    const isBaseline = clicked.scheme === textSchemes.baseline;
    const line = active?.selection.active.line ?? 0;
    const hunk = findHunkAtLine(file.hunks, line, isBaseline ? 'before' : 'after');
    if (!hunk) throw new Error('There is no agent change at the cursor.');
    return { file, hunk };
  }

  /** Reveals the next or previous change, in this file or another file. */
  private async goToChange(step: 1 | -1): Promise<void> {
    const { paths } = this.deps.source;
    const editor = vscode.window.activeTextEditor;
    const path = editor?.document.uri.fsPath ?? '';
    const line = editor?.selection.active.line ?? 0;
    const file = editor && (await hunksOf(this.deps.source, editor.document));
    const here = file?.hunks.filter(({ after }) => (step > 0 ? after.start > line : after.start < line)) ?? [];
    const hunk = here.at(step > 0 ? 0 : -1);
    if (editor && hunk) {
      reveal(editor, hunk);
      return;
    }
    const index = paths.indexOf(path);
    const order = [...paths.slice(index + 1), ...paths.slice(0, index + 1)];
    for (const next of step > 0 ? order : (index < 0 ? order : [...order.slice(0, -1), path]).toReversed()) {
      const other = await this.showFile(next);
      if (!other) continue;
      const found = await hunksOf(this.deps.source, other.document);
      const first = found?.hunks.at(step > 0 ? 0 : -1);
      if (!first) continue;
      reveal(other, first);
      return;
    }
    throw new Error('There are no agent changes to review.');
  }

  /** Returns undefined if the file no longer exists. */
  private async showFile(path: string): Promise<vscode.TextEditor | undefined> {
    try {
      return await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true });
    } catch {
      return undefined;
    }
  }

  private async openDiff(path: string): Promise<void> {
    const file = vscode.Uri.file(path);
    const title = `${vscode.workspace.asRelativePath(path)} (Agent Changes)`;
    const before = this.deps.baselines.uriOf(path);
    if (await existsOnDisk(file))
      await vscode.commands.executeCommand('vscode.diff', before, file, title, { preview: true });
    else await vscode.commands.executeCommand('vscode.open', before, { preview: true });
  }
}

/** Opens a file. For a baseline document, opens its file. @throws Error */
async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const isBaseline = uri.scheme === textSchemes.baseline;
  try {
    return await vscode.workspace.openTextDocument(isBaseline ? vscode.Uri.file(uri.fsPath) : uri);
  } catch (error) {
    throw new Error('The file can’t be opened. Undo its changes in the Source Control view.', { cause: error });
  }
}

function isSameHunk(one: Hunk, other: Hunk): boolean {
  const isSame = (side: 'before' | 'after'): boolean =>
    one[side].start === other[side].start && one[side].end === other[side].end;
  return isSame('before') && isSame('after');
}

/** @throws Error if there is no hunk, because the file has changed since the user saw it */
function required(hunk: Hunk | undefined): Hunk {
  if (!hunk) throw new Error('The file has changed in the meantime. Try again.');
  return hunk;
}

/** Whether the lines around the hunk are equal in both texts. Otherwise they have changed since it was computed. */
function isBetweenSameLines({ after, before }: Hunk, { baseline, text }: TextsShownToUser): boolean {
  const [old, current] = [splitLines(baseline), splitLines(text)];
  const isSame = (one: number, other: number): boolean => old[one]?.trim() === current[other]?.trim();
  return isSame(before.start - 1, after.start - 1) && isSame(before.end, after.end);
}

/** Converts a change to a hunk. For an empty range, VS Code passes the preceding line. */
function hunkOfChange(change: z.infer<typeof LineChange>): Hunk {
  const range = (start: number, end: number): Hunk['before'] =>
    end === 0 ? { start, end: start } : { start: start - 1, end };
  return {
    before: range(change.originalStartLineNumber, change.originalEndLineNumber),
    after: range(change.modifiedStartLineNumber, change.modifiedEndLineNumber),
  };
}

/**
 * Returns the path of the file for a command. The argument is a URI (editor title) or a resource (Source Control view).
 * Without it, uses the active editor. @throws Error
 */
function pathOf(target: unknown): string {
  const resource = isRecord(target) && !(target instanceof vscode.Uri) ? target['resourceUri'] : target;
  const uri = resource instanceof vscode.Uri ? resource : vscode.window.activeTextEditor?.document.uri;
  if (!uri) throw new Error('Open a file with agent changes first.');
  return uri.fsPath;
}

function reveal(editor: vscode.TextEditor, hunk: Hunk): void {
  const range = rangeOfHunk(hunk, editor.document);
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
