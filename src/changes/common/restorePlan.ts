import * as z from 'zod';
import type { FileState, LeftOut } from './checkpoint';

/** What happens to one path. Undefined: nothing is there. */
export interface RestoreStep {
  readonly path: string;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** What a restore would do. Nothing has been done yet. */
export interface RestorePlan {
  readonly checkpointId: string;
  /** In the order in which they are done: deletions first, so that a file can take the place of a folder. */
  readonly steps: readonly RestoreStep[];
  /** What the restore would not touch although it may differ. */
  readonly leftOut: readonly LeftOut[];
}

type SkipReason =
  /** Somebody else has written it since the plan was made. */
  | 'changedMeanwhile'
  /** A folder with other files, or something else that cannot be replaced, has its name. */
  | 'inTheWay'
  /** A folder of its path is a symbolic link, or is no folder. */
  | 'behindLink'
  | 'contentMissing'
  | 'failed';

export interface SkippedStep {
  readonly path: string;
  readonly reason: SkipReason;
  /** The system's words, when there are some. */
  readonly detail?: string;
}

/** What is on disk compared with a step: `neither` was written by somebody else. */
export type StepStand = 'before' | 'after' | 'neither';

export function standOf(step: RestoreStep, found: FileState | undefined): StepStand {
  if (isSameState(found, step.after)) return 'after';
  return isSameState(found, step.before) ? 'before' : 'neither';
}

function isSameState(one: FileState | undefined, other: FileState | undefined): boolean {
  return one?.kind === other?.kind && one?.object === other?.object;
}

/** Deletions come first, the deepest of them before what is above. */
export function inOrder(steps: readonly RestoreStep[]): RestoreStep[] {
  const deletions = steps.filter(({ after }) => !after).sort((a, b) => (a.path < b.path ? 1 : -1));
  return [...deletions, ...steps.filter(({ after }) => after)];
}

/** The steps that take back those steps. */
export function reversed(steps: readonly RestoreStep[]): RestoreStep[] {
  return inOrder(steps.map(({ path, before, after }) => ({ path, before: after, after: before })));
}

const State = z.object({ kind: z.enum(['file', 'executable', 'symlink']), object: z.string(), bytes: z.number() });

/** A path that stays below the folder, whoever has written the journal. */
const Path = z
  .string()
  .refine(
    (path) => path !== '' && path.split('/').every((name) => !['', '.', '..'].includes(name)) && !path.includes('\0'),
  );

/** What is on disk while a restore runs, so that the next start can finish or undo it. */
export const RestoreJournal = z.object({
  version: z.literal(1),
  id: z.string().regex(/^[\w-]+$/),
  checkpointId: z.string(),
  /** The checkpoint that was taken just before. */
  undoId: z.string(),
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
