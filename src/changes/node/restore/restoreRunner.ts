import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../../base/common/async';
import { errorCode } from '../../../base/common/errors';
import { splitIntoBatches } from '../../../base/common/lists';
import { parseJson } from '../../../base/common/parseJson';
import { isProcessAlive } from '../../../base/node/isProcessAlive';
import type { CheckpointDetails } from '../../common/checkpoint';
import { CheckpointError } from '../../common/checkpointError';
import {
  RestoreJournal,
  reverseSteps,
  stepsOf,
  type RestorePlan,
  type RestoreStep,
  type SkippedStep,
} from '../../common/restorePlan';
import type { ResumeDirection } from '../../common/workspaceCheckpoints';
import { mapConcurrently } from '../scan/fileStatus';
import { journalName } from './hasInterruptedRestore';
import { StepRunner, type FileSystemTraits } from './restoreStep';
import type { TreeReader } from '../git/treeReader';

interface RunResult {
  /** Number of restored files. */
  readonly restored: number;
  readonly skipped: readonly SkippedStep[];
  /** Paths of all files, relative to the folder. */
  readonly paths: readonly string[];
}

export type ResumeResult = RunResult & Pick<RestoreJournal, 'checkpointId' | 'undoId' | 'request'>;

export interface RestoreResult extends RunResult {
  /** The state before the restore. */
  readonly undo: CheckpointDetails;
}

/** The state of an interrupted restore, as numbers of files. */
export interface InterruptedStepCounts {
  readonly checkpointId: string;
  readonly undoId: string;
  readonly at: number;
  readonly done: number;
  readonly left: number;
  /** Number of files that were changed since then, but not by the restore. */
  readonly touched: number;
}

export interface RestoreContext extends Omit<FileSystemTraits, 'waitsForDisk'> {
  readonly reader: TreeReader;
}

/** Time limit of a restore. If a journal is older, the process that wrote it has ended. */
export const restoreLimitMs = 10 * 60_000;
const batchBytes = 32 * 1024 * 1024;
const batchFiles = 500;
/** Maximum number of files that are synced to disk individually. With more files, this would take minutes. */
const mostSynced = 200;
const maxFileBytes = 200 * 1024 * 1024;

/** Runs restores. A journal is stored on disk before the first step and removed after the last step. */
export class RestoreRunner {
  constructor(
    private readonly root: string,
    private readonly storage: string,
    private readonly clock: Clock,
  ) {}

  private get journalFile(): string {
    return path.join(this.storage, journalName);
  }

  /** Checks that no restore is running or interrupted. @throws CheckpointError `restoreUnfinished` */
  async requireNoUnfinishedRestore(): Promise<void> {
    if (await this.readJournal()) throw unfinishedError();
  }

  async apply(
    plan: RestorePlan,
    undoCheckpoint: CheckpointDetails,
    context: RestoreContext,
    signal: AbortSignal,
    request?: string,
  ): Promise<RestoreResult> {
    const journal: RestoreJournal = {
      version: 1,
      id: randomUUID(),
      checkpointId: plan.checkpointId,
      undoId: undoCheckpoint.id,
      ...(request !== undefined && { request }),
      pid: process.pid,
      at: this.clock.now(),
      steps: plan.steps.map(({ path: name, before, after }) => ({ path: name, before, after })),
    };
    await this.writeJournal(journal);
    return { undo: undoCheckpoint, ...(await this.run(journal.id, plan.steps, context, signal)) };
  }

  async describeInterrupted(context: RestoreContext): Promise<InterruptedStepCounts | undefined> {
    const journal = await this.readJournal();
    if (!journal || this.isRunningElsewhere(journal)) return undefined;
    const runner = new StepRunner(this.root, journal.id, { ...context, waitsForDisk: false });
    const stands = await mapConcurrently(stepsOf(journal), async (step) =>
      runner.findMatchingSide(step).catch(() => 'neither' as const),
    );
    const count = (wanted: string): number => stands.filter((stand) => stand === wanted).length;
    const { checkpointId, undoId, at } = journal;
    return { checkpointId, undoId, at, done: count('after'), left: count('before'), touched: count('neither') };
  }

  /**
   * Finishes or undoes an interrupted restore. Undefined if there is none. @throws CheckpointError `restoreUnfinished`
   * while another window is restoring
   */
  async resume(
    direction: ResumeDirection,
    context: RestoreContext,
    signal: AbortSignal,
  ): Promise<ResumeResult | undefined> {
    const journal = await this.readJournal();
    if (!journal) return undefined;
    if (this.isRunningElsewhere(journal)) throw unfinishedError();
    const steps = stepsOf(journal);
    const runner = new StepRunner(this.root, journal.id, { ...context, waitsForDisk: false });
    await mapConcurrently([...steps.entries()], ([number, step]) => runner.removeTemporaryFile(step, number));
    const { checkpointId, request, undoId } = journal;
    const result = await this.run(journal.id, direction === 'finish' ? steps : reverseSteps(steps), context, signal);
    return { ...result, checkpointId, undoId, request };
  }

  /** Runs the steps. Removes the journal only after all steps were tried. */
  private async run(
    id: string,
    steps: readonly RestoreStep[],
    context: RestoreContext,
    signal: AbortSignal,
  ): Promise<RunResult> {
    const runner = new StepRunner(this.root, id, { ...context, waitsForDisk: steps.length <= mostSynced });
    const skipped: SkippedStep[] = [];
    const deletions = steps.filter(({ after }) => !after);
    for (const step of deletions) {
      signal.throwIfAborted();
      const problem = await runner.run(step, 0, undefined);
      if (problem) skipped.push(problem);
    }
    for (const { path: name } of deletions) await runner.removeEmptyFolders(name);
    const numbered = steps.map((step, number) => ({ step, number })).filter(({ step }) => step.after);
    const bytesOf = ({ step }: (typeof numbered)[number]): number => step.after?.bytes ?? 0;
    for (const batch of splitIntoBatches(numbered, bytesOf, { maxItems: batchFiles, maxBytes: batchBytes })) {
      const objects = batch.flatMap(({ step }) => (step.after && !isTooLarge(step) ? [step.after.object] : []));
      const contents = await context.reader.readContents([...new Set(objects)], signal);
      const problems = await mapConcurrently(
        batch,
        async ({ step, number }) =>
          isTooLarge(step)
            ? { path: step.path, reason: 'failed' as const, detail: 'The file is too large.' }
            : await runner.run(step, number, contents.get(step.after?.object ?? '')),
        signal,
      );
      for (const problem of problems) if (problem) skipped.push(problem);
    }
    await rm(this.journalFile, { force: true });
    return { restored: steps.length - skipped.length, skipped, paths: steps.map(({ path: name }) => name) };
  }

  private isRunningElsewhere({ pid, at }: RestoreJournal): boolean {
    const isOld = Math.abs(this.clock.now() - at) > 2 * restoreLimitMs;
    return pid !== process.pid && !isOld && isProcessAlive(pid);
  }

  private async readJournal(): Promise<RestoreJournal | undefined> {
    const text = await readFile(this.journalFile, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    const journal = RestoreJournal.safeParse(parseJson(text));
    if (journal.success) return journal.data;
    // The journal is incomplete, so no file was changed yet.
    await rm(this.journalFile, { force: true });
    return undefined;
  }

  /** Writes the complete journal before the first step. */
  private async writeJournal(journal: RestoreJournal): Promise<void> {
    const handle = await open(this.journalFile, 'wx', 0o600).catch((error: unknown) => {
      throw errorCode(error) === 'EEXIST' ? unfinishedError() : error;
    });
    try {
      await handle.writeFile(JSON.stringify(journal));
      await handle.sync();
    } catch (error) {
      await rm(this.journalFile, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  }
}

function unfinishedError(): CheckpointError {
  const words = 'A previous restore is not finished. Finish or undo it first.';
  return new CheckpointError('restoreUnfinished', words);
}

function isTooLarge({ after }: RestoreStep): boolean {
  return (after?.bytes ?? 0) > maxFileBytes;
}
