import * as z from 'zod';
import type { FileState, LeftOutItem } from './checkpoint';

/** The change of one path. Undefined: no file. */
export interface RestoreStep {
  readonly path: string;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** The steps of a restore that has not begun. */
export interface RestorePlan {
  readonly checkpointId: string;
  /** In order of execution. Deletions come first, so that a file can replace a folder. */
  readonly steps: readonly RestoreStep[];
  /** Paths that the restore leaves unchanged although they may differ. */
  readonly leftOut: readonly LeftOutItem[];
}

type SkipReason =
  /** The file changed after the plan was made. */
  | 'changedMeanwhile'
  /** The path is a folder with other files, or another item that can't be replaced. */
  | 'inTheWay'
  /** A parent of the path is a symbolic link or not a folder. */
  | 'behindLink'
  | 'contentMissing'
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
  failed: 'It could not be written.',
};

/** Says for users why a file was not restored. */
export function skipReasonText({ detail, reason }: SkippedStep): string {
  return detail ?? skipReasons[reason];
}

/** Which side of a step the file on disk matches. */
export type MatchingSide = 'before' | 'after' | 'neither';

export function findMatchingSide(step: RestoreStep, found: FileState | undefined): MatchingSide {
  if (isSameState(found, step.after)) return 'after';
  return isSameState(found, step.before) ? 'before' : 'neither';
}

export function isSameState(one: FileState | undefined, other: FileState | undefined): boolean {
  return one?.kind === other?.kind && one?.object === other?.object;
}

/** Puts deletions first, files before their parent folders. */
export function orderSteps(steps: readonly RestoreStep[]): RestoreStep[] {
  const deletions = steps.filter(({ after }) => !after).sort((a, b) => (a.path < b.path ? 1 : -1));
  return [...deletions, ...steps.filter(({ after }) => after)];
}

/** The steps that undo these steps. */
export function reverseSteps(steps: readonly RestoreStep[]): RestoreStep[] {
  return orderSteps(steps.map(({ path, before, after }) => ({ path, before: after, after: before })));
}

const State = z.object({ kind: z.enum(['file', 'executable', 'symlink']), object: z.string(), bytes: z.number() });

/** A path inside the folder. The journal is not trusted. */
const Path = z
  .string()
  .refine(
    (path) => path !== '' && path.split('/').every((name) => !['', '.', '..'].includes(name)) && !path.includes('\0'),
  );

/** Stored while a restore runs, so that the next start can finish or undo it. */
export const RestoreJournal = z.object({
  version: z.literal(1),
  id: z.string().regex(/^[\w-]+$/),
  checkpointId: z.string(),
  /** The checkpoint taken right before the restore. */
  undoId: z.string(),
  /** What the caller needs to record the restore after it was interrupted. */
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
