import { mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { CliCommand } from '../../../../src/threads/node/cli/runCommand';

/**
 * A stand-in for the amp CLI: a program that lists and exports the threads of a folder. What it was asked is in `calls`; with
 * a `failure` it writes that to its errors and exits with 1.
 */
export class FakeAmp {
  private constructor(private readonly folder: string) {}

  static async make(home: string): Promise<FakeAmp> {
    const amp = new FakeAmp(path.join(home, 'cli'));
    await mkdir(amp.folder);
    await writeFile(amp.at('amp.mjs'), program);
    await writeFile(amp.at('calls'), '');
    await amp.fail({});
    return amp;
  }

  command(threads: string): CliCommand {
    return { file: process.execPath, args: [this.at('amp.mjs'), this.folder, threads] };
  }

  /** Text that it fails with, by a word of its arguments. */
  async fail(failures: Readonly<Record<string, string>>): Promise<void> {
    await writeFile(this.at('failures.json'), JSON.stringify(failures));
  }

  /** Arguments, a line each. */
  async calls(): Promise<readonly string[]> {
    return (await readFile(this.at('calls'), 'utf8')).split('\n').filter((line) => line !== '');
  }

  private at(name: string): string {
    return path.join(this.folder, name);
  }
}

const program = `
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
const [, , own, threads, ...args] = process.argv;
appendFileSync(own + '/calls', args.join(' ') + '\\n');
const failures = JSON.parse(readFileSync(own + '/failures.json', 'utf8'));
for (const [word, text] of Object.entries(failures)) {
  if (!args.includes(word)) continue;
  process.stderr.write(text);
  process.exit(1);
}
const read = (id) => JSON.parse(readFileSync(threads + '/' + id + '.json', 'utf8'));
const row = (id) => {
  const { title, created, messages, env } = read(id);
  const tree = env?.initial?.trees?.[0]?.uri ?? null;
  return { id, title, updated: new Date(created).toISOString(), tree, messageCount: messages.length };
};
const ids = () => readdirSync(threads).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
if (args[1] === 'export') {
  try {
    process.stdout.write(JSON.stringify(read(args[2]), undefined, 2));
  } catch {
    process.stderr.write('Error: there is no such thread');
    process.exitCode = 1;
  }
} else {
  const isShown = (id) => args.includes('--include-archived') || read(id).archived !== true;
  process.stdout.write(JSON.stringify(ids().filter(isShown).map(row)));
}
`;
