import * as z from 'zod';
import type { FileState, LeftOutItem } from './checkpoint';

/** The change of one path. A side is undefined if the file does not exist on it. */
export interface RestoreStep {
  readonly path: string;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** The steps of a restore that has not started. */
export interface RestorePlan {
  readonly checkpointId: string;
  /** The steps in order of execution. Deletions come first, so that a file can replace a folder. */
  readonly steps: readonly RestoreStep[];
  /** Paths that the restore does not change although they may differ. */
  readonly leftOut: readonly LeftOutItem[];
}

type SkipReason =
  /** The file changed after the plan was made. */
  | 'changedMeanwhile'
  /** A folder with other files, or another item that can't be replaced, is at the path. */
  | 'inTheWay'
  /** A parent of the path is a symbolic link or not a folder. */
  | 'behindLink'
  | 'contentMissing'
  /** The present contents can't be stored, so replacing or deleting the file could not be undone. */
  | 'tooLargeToSave'
  | 'failed';

export interface SkippedStep {
  readonly path: string;
  readonly reason: SkipReason;
  /** Error message of the system. */
  readonly detail?: string;
}

const skipReasons: Record<SkipReason, string> = {
  changedMeanwhile: 'It was changed in the meantime.',
  inTheWay: 'A folder or another item is in its place.',
  behindLink: 'It is in a folder that is now a symbolic link.',
  contentMissing: 'Its contents are no longer stored.',
  tooLargeToSave: 'It is too large to be saved first, so it was left as it is.',
  failed: 'It could not be written.',
};

/** Explains to users why a file was not restored. */
export function skipReasonText({ detail, reason }: SkippedStep): string {
  return detail ?? skipReasons[reason];
}

/** The side of a step that the file on disk matches. */
export type MatchingSide = 'before' | 'after' | 'neither';

export function findMatchingSide(step: RestoreStep, found: FileState | undefined): MatchingSide {
  if (isSameState(found, step.after)) return 'after';
  return isSameState(found, step.before) ? 'before' : 'neither';
}

export function isSameState(one: FileState | undefined, other: FileState | undefined): boolean {
  return one?.kind === other?.kind && one?.object === other?.object;
}

/** Sorts steps: deletions come first, and files before their parent folders. */
export function orderSteps(steps: readonly RestoreStep[]): RestoreStep[] {
  const deletions = steps.filter(({ after }) => !after).sort((a, b) => (a.path < b.path ? 1 : -1));
  return [...deletions, ...steps.filter(({ after }) => after)];
}

/** Returns steps that undo the given steps. */
export function reverseSteps(steps: readonly RestoreStep[]): RestoreStep[] {
  return orderSteps(steps.map(({ path, before, after }) => ({ path, before: after, after: before })));
}

const State = z.object({ kind: z.enum(['file', 'executable', 'symlink']), object: z.string(), bytes: z.number() });

/** A path inside the folder. It is checked because the journal could have been changed. */
const Path = z
  .string()
  .refine((path) => path.split('/').every((name) => !['', '.', '..'].includes(name)) && !path.includes('\0'));

/** The record of a running restore. It is stored, so that the next start can finish or undo an interrupted restore. */
export const RestoreJournal = z.object({
  version: z.literal(1),
  id: z.string().regex(/^[\w-]+$/),
  checkpointId: z.string(),
  /** Id of the checkpoint taken immediately before the restore. */
  undoId: z.string(),
  /** Data that the caller needs to record the restore after an interruption. */
  request: z.string().max(10_000).optional(),
  pid: z.number(),
  at: z.number(),
  steps: z.array(
    z.object({
      path: Path,
      before: State.optional(),
      after: State.optional(),
    }),
  ),
});
export type RestoreJournal = z.infer<typeof RestoreJournal>;

export function stepsOf(journal: RestoreJournal): RestoreStep[] {
  return journal.steps.map(({ path, before, after }) => ({ path, before, after }));
}
