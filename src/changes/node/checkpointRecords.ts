import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import { parseJson } from '../../base/common/parseJson';
import { maxLeftOut, type Checkpoint, type CheckpointDetails } from '../common/checkpoint';
import { CheckpointError } from '../common/checkpointError';
import { joinNul } from '../common/nameList';
import type { ScannedFolderTree } from './scan/folderScan';
import { GitFailure, type PrivateRepository } from './git/privateRepository';

const refs = 'refs/checkpoints/';
const mostLabelUnits = 500;

const Head = z.object({ label: z.string(), at: z.number() });
const reasons = [
  'excluded',
  'ignored',
  'tooLarge',
  'special',
  'unreadable',
  'nestedRepository',
  'nameNotText',
] as const;
const Body = z.object({
  leftOut: z.array(z.object({ path: z.string(), reason: z.enum(reasons), bytes: z.number().optional() })),
  leftOutCount: z.number(),
  unsettled: z.array(z.string()),
});

/** Stores checkpoints as commits with refs in Backline's repository. The commit message contains the details. */
export class CheckpointRecords {
  constructor(
    private readonly repository: PrivateRepository,
    private readonly clock: Clock,
  ) {}

  async add(label: string, capture: ScannedFolderTree, signal: AbortSignal): Promise<CheckpointDetails> {
    const at = this.clock.now();
    const head = { label: label.slice(0, mostLabelUnits), at };
    const body = {
      leftOut: capture.leftOut.slice(0, maxLeftOut),
      leftOutCount: capture.leftOut.length,
      unsettled: capture.unsettled.slice(0, maxLeftOut),
    };
    const date = `${Math.max(Math.floor(at / 1_000), 0)} +0000`;
    const id = await this.repository.runForText({
      args: ['commit-tree', capture.tree],
      input: `${JSON.stringify(head)}\n\n${JSON.stringify(body)}\n`,
      env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      withUserObjects: true,
      signal,
    });
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

  async drop(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const input = joinNul(ids.flatMap((id) => (isId(id) ? [`delete ${refs}${id}`, ''] : [])));
    if (input !== '') await this.repository.run({ args: ['update-ref', '-z', '--stdin'], input, signal });
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
