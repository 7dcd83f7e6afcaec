import * as path from 'node:path';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { messageOf } from '../../../base/common/errors';
import { ThreadError } from '../../common/threadPorts';
import { isThreadId } from '../ampFolder/ampData';
import { cliFailure, isUnknownOption } from './cliFailures';
import type { PrivateFolder } from './privateFolder';
import { readOutput, type Command, type CommandRunner } from './runCommand';
import { maxThreadBytes } from '../files/threadFile';

const text = z.string().optional().catch(undefined);
const ListedThread = z.object({
  id: z.string().refine(isThreadId),
  title: text,
  updated: z.unknown().optional(),
  updatedAt: z.unknown().optional(),
  tree: z.string().nullish().catch(undefined),
  messageCount: z.int().nonnegative().optional().catch(undefined),
});
/** What the CLI says of a thread without its messages. */
export type ListedThread = z.infer<typeof ListedThread>;

const maxListBytes = 16 * 1024 * 1024;
const maxListed = 500;
const listMs = 30_000;
const exportMs = 120_000;

/** The commands of the amp CLI that tell of threads; it is looked for at each call. */
export class AmpCli {
  /** Options that this CLI does not know. */
  private readonly unknown = new Set<string>();

  /** `findCommand`: undefined when there is no CLI on this machine. */
  constructor(
    private readonly findCommand: () => Promise<Command | undefined>,
    private readonly run: CommandRunner,
    private readonly folder: PrivateFolder,
  ) {}

  /** @throws ThreadError `notFound` without a CLI, `notSignedIn`, `cli`, `cancelled` */
  async list(signal?: AbortSignal): Promise<readonly ListedThread[]> {
    return await this.listWith([['--limit', String(maxListed)]], signal);
  }

  /** Archived ones too, if this CLI can tell them. @throws ThreadError as `list` */
  async listWithArchived(signal?: AbortSignal): Promise<readonly ListedThread[]> {
    return await this.listWith([['--limit', String(maxListed)], ['--include-archived']], signal);
  }

  /** Writes the whole thread to a file and returns its path. @throws ThreadError as `list` */
  async export(threadId: string, signal?: AbortSignal): Promise<string> {
    if (!isThreadId(threadId)) throw new ThreadError('notFound', `There is no thread ${threadId}.`);
    const file = path.join(await this.folder.path(), `${threadId}.json`);
    const part = `${file}.${randomUUID()}.part`;
    try {
      await this.execute(['threads', 'export', threadId], part, {
        maxBytes: maxThreadBytes,
        timeoutMs: exportMs,
        signal,
      });
      return await this.folder.replace(part, file);
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Ids of threads, best first. @throws ThreadError as `list` */
  async search(query: string, signal?: AbortSignal): Promise<readonly ListedThread[]> {
    // A word in quotes is no option.
    const words = query.startsWith('-') ? `"${query.replaceAll('"', '')}"` : query;
    return listed(await this.ask(['threads', 'search', words, '--json', '-n', '50'], signal));
  }

  /** Each option that this CLI turns out not to know is left out from then on. */
  private async listWith(
    options: readonly Option[],
    signal: AbortSignal | undefined,
  ): Promise<readonly ListedThread[]> {
    const known = options.filter(([name]) => !this.unknown.has(name));
    try {
      return listed(await this.ask(['threads', 'list', '--json', ...known.flat()], signal));
    } catch (error) {
      const unknown = known.find(([name]) => isUnknownOption(error, name));
      if (!unknown) throw error;
      this.unknown.add(unknown[0]);
      return await this.listWith(known, signal);
    }
  }

  private async ask(args: readonly string[], signal: AbortSignal | undefined): Promise<string> {
    const file = path.join(await this.folder.path(), `${randomUUID()}.out`);
    await this.execute(args, file, { maxBytes: maxListBytes, timeoutMs: listMs, signal });
    return readOutput(file, maxListBytes);
  }

  private async execute(args: readonly string[], outputFile: string, limits: Limits): Promise<void> {
    const command = await this.findCommand().catch((cause: unknown) => {
      throw new ThreadError('cli', `The amp CLI cannot be started: ${messageOf(cause)}`, { cause });
    });
    if (!command) throw new ThreadError('notFound', 'There is no amp CLI on this machine.');
    const { exitCode, errors } = await this.run({ command, args, outputFile, ...limits });
    if (exitCode === 0) return;
    // Some builds write why to where the answer would be.
    const said = await readOutput(outputFile, maxListBytes).catch(() => '');
    throw cliFailure(args, exitCode, errors.trim() === '' ? said.slice(0, 4_000) : errors);
  }
}

/** With its value, if it has one. */
type Option = readonly [name: string, ...values: string[]];

interface Limits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Rows of another form are left out: one thread must not hide the others. */
function listed(output: string): readonly ListedThread[] {
  try {
    const rows = z.array(z.unknown()).parse(JSON.parse(output));
    return rows.flatMap((row) => ListedThread.safeParse(row).data ?? []);
  } catch (error) {
    throw new ThreadError(
      'cli',
      'The amp CLI answered with something else than a list of threads. Update it: `amp update`.',
      { cause: error },
    );
  }
}
