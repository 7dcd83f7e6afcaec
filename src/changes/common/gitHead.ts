/** Where the user's repository stands. Only what its files say; Git is not run. */
export interface GitHead {
  /** Short name of the branch. Undefined if `HEAD` is detached. */
  readonly branch?: string | undefined;
  /** Id of the commit. Undefined before the first commit. */
  readonly commit?: string | undefined;
  /** Id of the newest stash. */
  readonly stash?: string | undefined;
  /** What Git has begun and not finished. */
  readonly unfinished?: string | undefined;
}

/** A workspace folder whose repository stands somewhere else than at a checkpoint. */
export interface GitMove {
  readonly before: GitHead;
  readonly now: GitHead;
}

/** Whether something differs that restoring files does not bring back. */
export function isMoved({ before, now }: GitMove): boolean {
  return (
    before.branch !== now.branch ||
    before.commit !== now.commit ||
    before.stash !== now.stash ||
    before.unfinished !== now.unfinished
  );
}

/** Says in a few words what has happened in Git since the checkpoint, whoever has done it. */
export function gitMoveLabel({ before, now }: GitMove): string {
  const [from, to] = [nameOf(before), nameOf(now)];
  const facts = [
    from === to ? '' : `Git was switched from ${from} to ${to}`,
    from === to && before.commit !== now.commit ? `the commit of ${to} has changed` : '',
    before.stash === now.stash ? '' : 'the stash has changed',
    now.unfinished === undefined || now.unfinished === before.unfinished ? '' : `a ${now.unfinished} is not finished`,
  ].filter((fact) => fact !== '');
  const text = facts.length === 0 ? `the ${before.unfinished ?? 'operation'} has ended` : facts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. Git’s state is not restored.`;
}

/** Says what has happened in Git since the checkpoint, and what the user can do before files are changed. */
export function gitMoveText(move: GitMove): string {
  const { before, now } = move;
  return `${gitMoveLabel(move)} ${adviceFor(before, now)}`;
}

function adviceFor(before: GitHead, now: GitHead): string {
  if (now.unfinished !== undefined && now.unfinished !== before.unfinished) {
    return `To go back, first run “git ${now.unfinished} --abort”.`;
  }
  if (nameOf(before) !== nameOf(now)) {
    const target = before.branch ?? `--detach ${nameOf(before)}`;
    return `To go back, first run “git switch ${target}”: otherwise the files of ${nameOf(before)} are written onto ${nameOf(now)}.`;
  }
  if (before.commit !== now.commit) return 'The files change, the commits stay. “git reflog” shows the earlier ones.';
  return '“git stash list” shows what is stashed.';
}

function nameOf({ branch, commit = 'no commit' }: GitHead): string {
  return branch ?? commit.slice(0, 8);
}
