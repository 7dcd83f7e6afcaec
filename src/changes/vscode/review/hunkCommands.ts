import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { commandIds, type CommandId } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { ReviewedMarks } from '../../common/review/reviewedMarks';
import type { ReviewSource } from '../../common/review/reviewSource';
import type { AgentChangesEditor } from './agentChangesEditor';
import type { BaselineDocuments } from './baselineDocuments';
import { existsOnDisk, hunksOf } from './fileHunks';
import { findHunk, pathOf, reveal, showFile } from './hunkTargets';

/** What the keys pass, so that the same key takes a mark back. */
const Toggle = z.object({ toggle: z.literal(true) });
const shownMs = 5_000;

interface HunkCommandsDeps {
  readonly source: ReviewSource;
  readonly baselines: BaselineDocuments;
  readonly editor: Pick<AgentChangesEditor, 'open'>;
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly marks: Pick<ReviewedMarks, 'isAllReviewed' | 'ofHunks' | 'setFileReviewed' | 'setHunkReviewed'>;
}

/** Registers the commands that keep, undo, show and ask about changes. */
export class HunkCommands implements Disposable {
  private readonly disposables = new DisposableStore();

  constructor(private readonly deps: HunkCommandsDeps) {}

  start(): void {
    const { commands, editor, marks, source } = this.deps;
    const handlers: [CommandId, (...args: readonly unknown[]) => unknown][] = [
      [commandIds.reviewKeepHunk, (...args) => this.keep(args)],
      [commandIds.reviewUndoHunk, (...args) => this.undo(args)],
      [commandIds.reviewAskAboutHunk, (...args) => this.askAbout(args)],
      [commandIds.reviewKeepFile, (target) => source.keepFile(pathOf(target))],
      [commandIds.reviewUndoFile, (target) => source.undoFile(pathOf(target))],
      [commandIds.reviewKeepAll, () => source.keepAll()],
      [commandIds.reviewUndoAll, () => source.undoAll()],
      [commandIds.reviewMarkHunk, (...args) => this.markHunk(args, true)],
      [commandIds.reviewUnmarkHunk, (...args) => this.markHunk(args, false)],
      [commandIds.reviewMarkHunkAndGoOn, (...args) => this.markHunkAndGoOn(args)],
      [commandIds.reviewMarkFile, (target) => this.markFile(target)],
      [commandIds.reviewUnmarkFile, (target) => marks.setFileReviewed(pathOf(target), false)],
      [commandIds.reviewNextUnreviewed, () => this.goToUnreviewed()],
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
    const { file, hunk } = await findHunk(this.deps.source, args);
    await this.deps.source.keepHunk(file.path, hunk, file.seen);
    // Otherwise, the same change at another place of the file could look reviewed later.
    await this.deps.marks.setHunkReviewed(file, hunk, false);
  }

  private async undo(args: readonly unknown[]): Promise<void> {
    const { file, hunk } = await findHunk(this.deps.source, args);
    await this.deps.source.undoHunk(file.path, hunk, file.seen);
  }

  private async askAbout(args: readonly unknown[]): Promise<void> {
    const { file, hunk } = await findHunk(this.deps.source, args);
    await this.deps.source.askAboutHunk(file.path, hunk, file.seen);
  }

  private async markHunk(args: readonly unknown[], isReviewed: boolean): Promise<void> {
    const { marks, source } = this.deps;
    const { file, hunk } = await findHunk(source, args);
    const wasReviewed = (await marks.ofHunks(file))[file.hunks.indexOf(hunk)] === true;
    await marks.setHunkReviewed(file, hunk, Toggle.safeParse(args[0]).success ? !wasReviewed : isReviewed);
  }

  private async markFile(target: unknown): Promise<void> {
    const { marks } = this.deps;
    const path = pathOf(target);
    await marks.setFileReviewed(path, !(Toggle.safeParse(target).success && (await marks.isAllReviewed(path))));
  }

  /** In a file without changed lines, such as a deleted one, marks the file. */
  private async markHunkAndGoOn(args: readonly unknown[]): Promise<void> {
    const { marks, source } = this.deps;
    const path = vscode.window.activeTextEditor?.document.uri.fsPath;
    const isWhole =
      args[0] === undefined && path !== undefined && source.paths.includes(path) && !(await hasHunks(path, source));
    if (isWhole) await marks.setFileReviewed(path, true);
    else await this.markHunk(args, true);
    await this.goToUnreviewed();
  }

  /** Reveals the next change that is not reviewed: below the cursor, then in the following files, then from the beginning. */
  private async goToUnreviewed(): Promise<void> {
    const { marks, source } = this.deps;
    const former = new Set(source.formerPaths.values());
    const paths = source.paths.filter((path) => !former.has(path));
    const active = vscode.window.activeTextEditor;
    const index = paths.indexOf(active?.document.uri.fsPath ?? '');
    const line = index < 0 ? -1 : (active?.selection.active.line ?? -1);
    const order = [...paths.slice(index < 0 ? 0 : index), ...paths.slice(0, index + 1)];
    for (const [position, path] of order.entries()) {
      if (await marks.isAllReviewed(path)) continue;
      if (!(await hasHunks(path, source))) {
        if (position === 0 && index >= 0 && order.length > 1) continue;
        await this.openDiff(path);
        return;
      }
      const editor = await showFile(path);
      const file = editor && (await hunksOf(source, editor.document));
      if (!file) continue;
      const reviewed = await marks.ofHunks(file);
      const after = position === 0 ? line : -1;
      const hunk = file.hunks.find((one, at) => reviewed[at] === false && one.after.start > after);
      if (!hunk) continue;
      reveal(editor, hunk);
      return;
    }
    void vscode.window.setStatusBarMessage('All agent changes are reviewed.', shownMs);
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
      const other = await showFile(next);
      if (!other) continue;
      const found = await hunksOf(this.deps.source, other.document);
      const first = found?.hunks.at(step > 0 ? 0 : -1);
      if (!first) continue;
      reveal(other, first);
      return;
    }
    throw new Error('There are no agent changes to review.');
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

/** Whether the file exists and has lines to compare. */
async function hasHunks(path: string, source: Pick<ReviewSource, 'texts'>): Promise<boolean> {
  const { baseline, text } = await source.texts(path);
  return baseline !== undefined && typeof text === 'string' && (baseline ?? '') !== text;
}
