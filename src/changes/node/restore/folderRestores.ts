import * as path from 'node:path';
import { messageOf, toError } from '../../../base/common/errors';
import { isMoved, type GitMove } from '../../common/gitHead';
import { skipReasonText, type RestorePlan, type SkippedStep } from '../../common/restorePlan';
import {
  isUnexpectedlyLeftOut,
  type FolderCheckpoint,
  type InterruptedRestore,
  type RestoreChange,
  type RestoreOutcome,
  type RestorePreview,
  type ResumeDirection,
  type ResumeOutcome,
  type SkippedFile,
} from '../../common/workspaceCheckpoints';
import { isInsideFolder } from '../../../base/node/isInsideFolder';
import type { CheckpointStore } from '../checkpointStore';
import { findOwningFolder } from '../owningFolder';

/** Maximum size of a file that is read as text, in bytes. */
export const maxTextBytes = 5 * 1024 * 1024;

interface FolderPlan {
  readonly folder: string;
  readonly store: CheckpointStore;
  readonly plan: RestorePlan;
}

interface FolderRestoresDeps {
  /** Absolute paths of the current workspace folders. */
  readonly folders: () => readonly string[];
  /** Returns the store of a folder, or a message with the reason why there is none. Never rejects. */
  readonly open: (folder: string) => Promise<CheckpointStore | string>;
  /** Decodes a file. Undefined if it is not text. */
  readonly decode: (bytes: Uint8Array, path: string) => Promise<string | undefined>;
}

/** Restores several workspace folders, one after another. */
export class FolderRestores {
  private readonly plansByPreview = new WeakMap<RestorePreview, readonly FolderPlan[]>();

  constructor(private readonly deps: FolderRestoresDeps) {}

  async plan(folders: readonly FolderCheckpoint[], signal: AbortSignal): Promise<RestorePreview> {
    const plans: FolderPlan[] = [];
    const missing: string[] = [];
    for (const { folder, id } of folders) {
      const store = await this.openIfHere(folder);
      if (!store || typeof store === 'string') {
        missing.push(folder + path.sep);
        continue;
      }
      plans.push({ folder, store, plan: await store.planRestore(id, undefined, signal) });
    }
    const distinct = withoutOverlaps(plans);
    const leftOut = distinct.flatMap(({ folder, plan }) => {
      const items = plan.leftOut.filter((item) => isUnexpectedlyLeftOut(item) || item.reason === 'ignored');
      return items.map((item) => path.join(folder, item.path));
    });
    const preview = {
      changes: distinct.flatMap(changesOf),
      leftOut: [...leftOut, ...missing],
      gitMoves: await this.gitMovesSince(folders),
    };
    this.plansByPreview.set(preview, distinct);
    return preview;
  }

  /** Undefined for a folder that is not in the workspace any more: no program may run there. */
  private async openIfHere(folder: string): Promise<CheckpointStore | string | undefined> {
    const isHere = this.deps.folders().some((one) => one === folder || isInsideFolder(folder, one));
    return isHere ? await this.deps.open(folder) : undefined;
  }

  async gitMovesSince(folders: readonly FolderCheckpoint[]): Promise<readonly GitMove[]> {
    const moves = await Promise.all(
      folders.map(async ({ folder, id }) => {
        const store = await this.openIfHere(folder);
        return store === undefined || typeof store === 'string'
          ? undefined
          : await store.gitMove(id).catch(() => undefined);
      }),
    );
    return moves.flatMap((move) => (move && isMoved(move) ? [move] : []));
  }

  async textAfter(preview: RestorePreview, file: string): Promise<string | null | undefined> {
    for (const { folder, plan, store } of this.plansByPreview.get(preview) ?? []) {
      const step = plan.steps.find((one) => path.join(folder, one.path) === file);
      if (!step) continue;
      const { after } = step;
      if (!after) return null;
      if (after.kind === 'symlink' || after.bytes > maxTextBytes) return undefined;
      const bytes = (await store.contents([after.object])).get(after.object);
      return bytes && (await this.deps.decode(bytes, file));
    }
    return undefined;
  }

  async restore(
    preview: RestorePreview,
    paths: readonly string[],
    label: string,
    signal: AbortSignal,
    request?: string,
  ): Promise<RestoreOutcome> {
    const wanted = new Set(paths);
    const undo: FolderCheckpoint[] = [];
    const restored: string[] = [];
    const skipped: SkippedFile[] = [];
    const failures: Error[] = [];
    for (const { folder, plan, store } of this.plansByPreview.get(preview) ?? []) {
      const steps = plan.steps.filter((step) => wanted.has(path.join(folder, step.path)));
      if (steps.length === 0) continue;
      const files = steps.map((step) => path.join(folder, step.path));
      try {
        const result = await store.applyRestore({ ...plan, steps }, label, signal, request);
        undo.push({ folder, id: result.undo.id });
        const { restored: done, skipped: left } = inFolder(folder, files, result.skipped);
        restored.push(...done);
        skipped.push(...left);
      } catch (error) {
        failures.push(toError(error));
        skipped.push(...files.map((file) => ({ path: file, reason: messageOf(error) })));
      }
    }
    const [failure] = failures;
    if (failure && undo.length === 0) throw failure;
    return { undo, restored, skipped };
  }

  async findInterruptedRestore(): Promise<InterruptedRestore | undefined> {
    let found: InterruptedRestore | undefined;
    for (const { store } of await this.stores()) {
      const one = await store.findInterruptedRestore();
      if (!one) continue;
      const { restored, total } = found ?? { restored: 0, total: 0 };
      found = { restored: restored + one.done, total: total + one.done + one.left + one.touched };
    }
    return found;
  }

  async resume(direction: ResumeDirection, signal: AbortSignal): Promise<ResumeOutcome> {
    const restored: string[] = [];
    const skipped: SkippedFile[] = [];
    const target: FolderCheckpoint[] = [];
    const undo: FolderCheckpoint[] = [];
    let request: string | undefined;
    for (const { folder, store } of await this.stores()) {
      const result = await store.resumeRestore(direction, signal);
      if (!result) continue;
      target.push({ folder, id: result.checkpointId });
      undo.push({ folder, id: result.undoId });
      request ??= result.request;
      const files = result.paths.map((file) => path.join(folder, file));
      const outcome = inFolder(folder, files, result.skipped);
      restored.push(...outcome.restored);
      skipped.push(...outcome.skipped);
    }
    return { restored, skipped, target, undo, request };
  }

  private async stores(): Promise<{ readonly folder: string; readonly store: CheckpointStore }[]> {
    const opened = await Promise.all(
      this.deps.folders().map(async (folder) => ({ folder, store: await this.deps.open(folder) })),
    );
    const found = opened.flatMap(({ folder, store }) => (typeof store === 'string' ? [] : [{ folder, store }]));
    return found.filter(({ store }, at) => found.findIndex((other) => other.store === store) === at);
  }
}

/** Leaves each file only in the plan of the innermost folder that contains it, because workspace folders can overlap. */
function withoutOverlaps(plans: readonly FolderPlan[]): FolderPlan[] {
  const folders = plans.map(({ store }) => store.folder);
  return plans.map(({ folder, plan, store }, at) => {
    const isOwn = ({ path: name }: { readonly path: string }): boolean =>
      findOwningFolder(folders, path.join(store.folder, name).replace(/[\\/]$/, '')) === at;
    return { folder, store, plan: { ...plan, steps: plan.steps.filter(isOwn), leftOut: plan.leftOut.filter(isOwn) } };
  });
}

function changesOf({ folder, plan }: FolderPlan): RestoreChange[] {
  return plan.steps.flatMap(({ after, before, path: name }) => {
    const kind = (after ?? before)?.kind;
    if (!kind) return [];
    const change = !after ? 'deleted' : before ? 'modified' : 'created';
    return [{ path: path.join(folder, name), change, kind, after }];
  });
}

function inFolder(
  folder: string,
  files: readonly string[],
  steps: readonly SkippedStep[],
): Pick<RestoreOutcome, 'restored' | 'skipped'> {
  const skipped = steps.map((step) => ({ path: path.join(folder, step.path), reason: skipReasonText(step) }));
  const left = new Set(skipped.map((file) => file.path));
  return { restored: files.filter((file) => !left.has(file)), skipped };
}
