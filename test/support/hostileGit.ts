import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a repository's own configuration makes Git run, each by a program that leaves a file of that name. */
const programs = {
  fsmonitor: 'exit 1',
  sshCommand: 'exit 1',
  pager: 'cat',
  editor: 'exit 0',
  askPass: 'exit 1',
  alias: 'exit 0',
  externalDiff: 'exit 0',
  diffCommand: 'exit 0',
  textconv: 'cat "$1"',
  clean: 'cat',
  smudge: 'cat',
  credential: 'exit 0',
  hook: 'exit 0',
} as const;
export type GitProgram = keyof typeof programs;

const hooks = ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman'];

/** A repository that somebody else has made, with one commit. */
export class HostileRepository {
  private constructor(
    private readonly folder: string,
    private readonly marks: string,
  ) {}

  /** `folder` becomes a repository; programs and marks are in `outside`. Both are absolute, the caller removes them. */
  static async make(folder: string, outside: string): Promise<HostileRepository> {
    const repository = new HostileRepository(folder, path.join(outside, 'marks'));
    await mkdir(repository.marks, { recursive: true });
    await mkdir(path.join(outside, 'hooks'));
    const fileOf = (name: string): string => path.join(outside, name);
    for (const [name, end] of Object.entries(programs)) await repository.program(fileOf(name), name, end);
    for (const hook of hooks) await repository.program(path.join(outside, 'hooks', hook), 'hook', programs.hook);
    await writeFile(path.join(folder, '.gitattributes'), '* diff=hostile filter=hostile\n');
    await repository.git('init', '--quiet', '--initial-branch', 'main');
    await repository.git('add', '.');
    await repository.git('commit', '--quiet', '--message', 'first');
    const config: Readonly<Record<string, string>> = {
      'core.fsmonitor': fileOf('fsmonitor'),
      'core.sshCommand': fileOf('sshCommand'),
      'core.pager': fileOf('pager'),
      'core.editor': fileOf('editor'),
      'core.askPass': fileOf('askPass'),
      'core.hooksPath': fileOf('hooks'),
      'alias.st': `!${fileOf('alias')}`,
      'diff.external': fileOf('externalDiff'),
      'diff.hostile.command': fileOf('diffCommand'),
      'diff.hostile.textconv': fileOf('textconv'),
      'filter.hostile.clean': fileOf('clean'),
      'filter.hostile.smudge': fileOf('smudge'),
      'credential.helper': fileOf('credential'),
      'remote.origin.url': 'ssh://nobody@127.0.0.1:1/repository',
    };
    for (const [key, value] of Object.entries(config)) await repository.git('config', key, value);
    return repository;
  }

  /** Which programs have run. */
  async ran(): Promise<readonly GitProgram[]> {
    const names = await readdir(this.marks);
    return Object.keys(programs).filter((name): name is GitProgram => names.includes(name));
  }

  /** Runs Git there, as a user does in a terminal. */
  async git(...args: string[]): Promise<void> {
    await run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: this.folder });
  }

  private async program(file: string, name: string, end: string): Promise<void> {
    await writeFile(file, `#!/bin/sh\n: > '${path.join(this.marks, name)}'\n${end}\n`);
    await chmod(file, 0o755);
  }
}
