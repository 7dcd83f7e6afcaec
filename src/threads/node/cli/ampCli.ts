import * as path from 'node:path';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { messageOf } from '../../../base/common/errors';
import { ThreadError } from '../../common/threadPorts';
import { isThreadId } from '../../common/heads/heads';
import { cliFailure, isUnknownOption } from './cliFailures';
import type { PrivateTemporaryFolder } from '../../../base/node/privateTemporaryFolder';
import { readAndDeleteOutput, type CliCommand, type CommandRunner } from './runCommand';
import { maxThreadBytes } from '../files/threadFile';

const optionalText = z.string().optional().catch(undefined);
const ListedThread = z.object({
  id: z.string().refine(isThreadId),
  title: optionalText,
  updated: z.unknown().optional(),
  updatedAt: z.unknown().optional(),
  tree: z.string().nullish().catch(undefined),
  messageCount: z.int().nonnegative().optional().catch(undefined),
});
/** A thread as listed by the Amp CLI, without its messages. */
export type ListedThread = z.infer<typeof ListedThread>;

const maxListBytes = 16 * 1024 * 1024;
const maxThreads = 500;
const listTimeoutMs = 30_000;
const exportTimeoutMs = 120_000;

/** Lists, searches and exports threads with the Amp CLI. Finds the CLI again for each call. */
export class AmpCli {
  private readonly unsupportedOptions = new Set<string>();

  /** `findCommand` resolves to undefined if the CLI is not installed. */
  constructor(
    private readonly findCommand: () => Promise<CliCommand | undefined>,
    private readonly runCommand: CommandRunner,
    private readonly outputFolder: PrivateTemporaryFolder,
  ) {}

  /** Lists the account's threads. @throws ThreadError `notFound` without a CLI, `notSignedIn`, `cli`, `cancelled` */
  async list(signal?: AbortSignal): Promise<readonly ListedThread[]> {
    return await this.listWith([['--limit', String(maxThreads)]], signal);
  }

  /** Lists the threads, with archived ones if the CLI supports that. @throws the same ThreadErrors as `list` */
  async listWithArchived(signal?: AbortSignal): Promise<readonly ListedThread[]> {
    return await this.listWith([['--limit', String(maxThreads)], ['--include-archived']], signal);
  }

  /** Writes a complete thread to a file and returns the file's path. @throws the same ThreadErrors as `list` */
  async export(threadId: string, signal?: AbortSignal): Promise<string> {
    if (!isThreadId(threadId)) throw new ThreadError('notFound', `There is no thread ${threadId}.`);
    const file = path.join(await this.outputFolder.createOrGetPath(), `${threadId}.json`);
    const part = `${file}.${randomUUID()}.part`;
    try {
      await this.execute(['threads', 'export', threadId], part, {
        maxBytes: maxThreadBytes,
        timeoutMs: exportTimeoutMs,
        signal,
      });
      return await this.outputFolder.moveInAndDeleteOldest(part, file);
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Searches the account, best match first. @throws the same ThreadErrors as `list` */
  async search(query: string, signal?: AbortSignal): Promise<readonly ListedThread[]> {
    // The query is quoted, so that the CLI does not parse it as an option.
    const words = query.startsWith('-') ? `"${query.replaceAll('"', '')}"` : query;
    return parseThreads(await this.runAndReadOutput(['threads', 'search', words, '--json', '-n', '50'], signal));
  }

  /** Lists the threads. If the CLI rejects an option, retries without it and never passes it again. */
  private async listWith(options: readonly CliOption[], signal?: AbortSignal): Promise<readonly ListedThread[]> {
    const supported = options.filter(([name]) => !this.unsupportedOptions.has(name));
    try {
      return parseThreads(await this.runAndReadOutput(['threads', 'list', '--json', ...supported.flat()], signal));
    } catch (error) {
      const rejected = supported.find(([name]) => isUnknownOption(error, name));
      if (!rejected) throw error;
      this.unsupportedOptions.add(rejected[0]);
      return await this.listWith(supported, signal);
    }
  }

  private async runAndReadOutput(args: readonly string[], signal: AbortSignal | undefined): Promise<string> {
    const file = path.join(await this.outputFolder.createOrGetPath(), `${randomUUID()}.out`);
    await this.execute(args, file, { maxBytes: maxListBytes, timeoutMs: listTimeoutMs, signal });
    return readAndDeleteOutput(file, maxListBytes);
  }

  private async execute(args: readonly string[], outputFile: string, limits: CommandLimits): Promise<void> {
    const command = await this.findCommand().catch((cause: unknown) => {
      throw new ThreadError('cli', `Could not start the Amp CLI: ${messageOf(cause)}`, { cause });
    });
    if (!command) throw new ThreadError('notFound', 'The Amp CLI is not installed.');
    const { exitCode, stderrTail } = await this.runCommand({ command, args, outputFile, ...limits });
    if (exitCode === 0) return;
    // Some builds write their error messages to stdout.
    const output = await readAndDeleteOutput(outputFile, maxListBytes).catch(() => '');
    throw cliFailure(args, exitCode, stderrTail.trim() === '' ? output.slice(0, 4_000) : stderrTail);
  }
}

type CliOption = readonly [name: string, ...values: string[]];

interface CommandLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Parses a list of threads. Skips invalid rows, so that one of them does not hide the others. */
function parseThreads(output: string): readonly ListedThread[] {
  try {
    const rows = z.array(z.unknown()).parse(JSON.parse(output));
    return rows.flatMap((row) => ListedThread.safeParse(row).data ?? []);
  } catch (error) {
    throw new ThreadError('cli', 'The Amp CLI did not return a list of threads. Update it with `amp update`.', {
      cause: error,
    });
  }
}
