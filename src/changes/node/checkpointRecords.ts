import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import { BoundedMap } from '../../base/common/boundedMap';
import { parseJson } from '../../base/common/parseJson';
import { maxLeftOut, type Checkpoint, type CheckpointDetails, type CheckpointScope } from '../common/checkpoint';
import { CheckpointError } from '../common/checkpointError';
import { joinNul } from '../common/nameList';
import type { ScopedFolderTree } from './scan/folderScan';
import { GitFailure, type PrivateRepository } from './git/privateRepository';

const refs = 'refs/checkpoints/';
const mostLabelUnits = 500;

const Head = z.object({ label: z.string(), at: z.number(), series: z.string().optional() });
const reasons = [
  'excluded',
  'ignored',
  'tooLarge',
  'special',
  'unreadable',
  'nestedRepository',
  'nameNotText',
] as const;
const LeftOut = z.array(z.object({ path: z.string(), reason: z.enum(reasons), bytes: z.number().optional() }));
const Body = z.object({
  leftOut: LeftOut,
  leftOutCount: z.number(),
  scannedAt: z.number().optional(),
  git: z
    .object({
      branch: z.string().optional(),
      commit: z.string().optional(),
      stash: z.string().optional(),
      unfinished: z.string().optional(),
    })
    .optional(),
});
const Scope = z.object({
  leftOut: LeftOut,
  ignored: z.array(z.string()).optional(),
  rules: z.object({ patterns: z.string(), prefix: z.string(), parents: z.array(z.string()) }),
  saved: z.array(z.string()).optional(),
});

/** Name of the file with the scope in the commit that is the parent of a checkpoint. */
const scopeName = 'scope.json';
/** A fixed date, so that equal scopes are one commit. */
const scopeDate = '1000000000 +0000';
const maxKnownScopes = 8;

/**
 * Stores checkpoints as commits with refs in Backline's repository. The commit message contains the details. The parent
 * of each is a commit with its scope, which consecutive checkpoints usually share.
 */
export class CheckpointRecords {
  private readonly scopeByCommit = new BoundedMap<string, CheckpointScope>({ maxEntries: maxKnownScopes });
  private lastScope: { readonly text: string; readonly commit: string } | undefined;

  constructor(
    private readonly repository: PrivateRepository,
    private readonly clock: Clock,
  ) {}

  /** Stores a checkpoint. The newest one of a `series` is kept whatever the size of the store is. */
  async add(
    label: string,
    series: string | undefined,
    capture: ScopedFolderTree,
    signal: AbortSignal,
  ): Promise<CheckpointDetails> {
    const at = this.clock.now();
    const head = { label: label.slice(0, mostLabelUnits), at, ...(series !== undefined && { series }) };
    const { git, leftOut, scannedAt, tree } = capture;
    const body = {
      leftOut: leftOut.slice(0, maxLeftOut),
      leftOutCount: leftOut.length,
      scannedAt,
      git,
    };
    const date = `${Math.max(Math.floor(at / 1_000), 0)} +0000`;
    // Earlier versions of Backline need the list of files that kept changing.
    const input = `${JSON.stringify(head)}\n\n${JSON.stringify({ ...body, unsettled: [] })}\n`;
    const id = await this.addWithScope(
      capture.scope,
      async (scope) => {
        const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
        const args = ['commit-tree', '-p', scope, tree];
        return await this.repository.runForText({ args, input, env, withUserObjects: true, signal });
      },
      signal,
    );
    await this.repository.run({ args: ['update-ref', `${refs}${id}`, id], withUserObjects: true, signal });
    return { id, ...head, ...body };
  }

  /** Returns all checkpoints, oldest first. */
  async list(signal: AbortSignal): Promise<Checkpoint[]> {
    const format = '--format=%(objectname)%00%(contents:subject)%00';
    const items = await this.repository.runForItems({ args: ['for-each-ref', format, refs], signal });
    const found: Checkpoint[] = [];
    for (let at = 0; at + 1 < items.length; at += 2) {
      const head = Head.safeParse(parseJson(items[at + 1] ?? ''));
      if (head.success) found.push({ id: (items[at] ?? '').trim(), ...head.data });
    }
    return found.sort((a, b) => a.at - b.at);
  }

  /** Returns a checkpoint with its details. @throws CheckpointError `unknownCheckpoint` */
  async details(id: string, signal: AbortSignal): Promise<CheckpointDetails> {
    await this.checkId(id, signal);
    const text = (await this.repository.run({ args: ['cat-file', 'commit', id], signal })).output.toString();
    const [, subject = '', body = ''] = text.split('\n\n');
    const head = Head.safeParse(parseJson(subject));
    const rest = Body.safeParse(parseJson(body));
    if (!head.success || !rest.success) throw unknownCheckpointError();
    return { id, ...head.data, ...rest.data };
  }

  /** Returns what a checkpoint does not contain. Undefined for checkpoints of earlier versions. */
  async scope(id: string, signal: AbortSignal): Promise<CheckpointScope | undefined> {
    await this.checkId(id, signal);
    const args = ['rev-parse', '--verify', '--quiet', `${id}^`];
    const { exitCode, output } = await this.repository.run({ args, allowedCodes: [0, 1], signal });
    if (exitCode !== 0) return undefined;
    const commit = output.toString().trim();
    const known = this.scopeByCommit.get(commit);
    if (known) return known;
    const text = (await this.repository.run({ args: ['cat-file', 'blob', `${commit}:${scopeName}`], signal })).output;
    const { data } = Scope.safeParse(parseJson(text.toString()));
    const scope = data && { ...data, ignored: data.ignored };
    if (scope) this.scopeByCommit.set(commit, scope);
    return scope;
  }

  async drop(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const input = joinNul(ids.flatMap((id) => (isId(id) ? [`delete ${refs}${id}`, ''] : [])));
    if (input !== '') await this.repository.run({ args: ['update-ref', '-z', '--stdin'], input, signal });
  }

  /** Calls `add` with the commit of the scope, which is written unless it is that of the last checkpoint. */
  private async addWithScope(
    scope: CheckpointScope,
    add: (scopeCommit: string) => Promise<string>,
    signal: AbortSignal,
  ): Promise<string> {
    const text = JSON.stringify(scope);
    if (this.lastScope?.text === text) {
      try {
        return await add(this.lastScope.commit);
      } catch (error) {
        // The commit was pruned with the last checkpoint that had this scope.
        if (!(error instanceof GitFailure)) throw error;
      }
    }
    const blob = await this.repository.runForText({ args: ['hash-object', '-w', '--stdin'], input: text, signal });
    const input = `100644 blob ${blob}\t${scopeName}\n`;
    const tree = await this.repository.runForText({ args: ['mktree'], input, signal });
    const env = { GIT_AUTHOR_DATE: scopeDate, GIT_COMMITTER_DATE: scopeDate };
    const commit = await this.repository.runForText({ args: ['commit-tree', tree], input: '', env, signal });
    this.lastScope = { text, commit };
    this.scopeByCommit.set(commit, scope);
    return await add(commit);
  }

  private async checkId(id: string, signal: AbortSignal): Promise<void> {
    if (!isId(id)) throw unknownCheckpointError();
    try {
      await this.repository.run({ args: ['rev-parse', '--verify', '--quiet', `${refs}${id}`], signal });
    } catch (error) {
      throw error instanceof GitFailure ? unknownCheckpointError() : error;
    }
  }
}

function unknownCheckpointError(): CheckpointError {
  return new CheckpointError('unknownCheckpoint', 'This checkpoint no longer exists. Choose a newer one.');
}

function isId(id: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(id);
}
