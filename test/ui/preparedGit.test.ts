import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually';
import { ApprovalCard } from './support/approvalCard';
import { ChatView } from './support/chatView';
import { PlannedAgent, type Step } from './support/plannedAgent';
import { VsCodeWindow } from './support/window';

const run = promisify(execFile);
const head = 'ref: refs/heads/main\n';
/** Folders that become repositories, each with a file that is opened in it. */
const places = [
  ['lib', 'lib.txt', 'a folder of the workspace'],
  ['.', 'readme.txt', 'the workspace folder'],
] as const;

/**
 * An agent that writes files from which VS Code's own Git extension would run a program: it asks Git about the folder of each
 * file that is opened, and Git runs what a configuration names. Nobody clicks anything but Deny.
 */
describe('An agent that prepares a folder which Git takes for a repository', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let agent: PlannedAgent;
  let workspace: string;

  const at = (...names: string[]): string => path.join(workspace, ...names);
  const prepared = (...names: string[]): string => at('trees', 'prepared', ...names);
  const commondir = (): string => at('trees', '.bare', 'worktrees', 'main', 'commondir');
  const mark = (name: string): string => path.join(window.sandbox.folder, `ran-${name}`);
  const configFor = (name: string, worktree: string): string =>
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${worktree}\n\tfsmonitor = "touch ${mark(name)}; false"\n`;
  const put = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const exists = (file: string): Promise<boolean> =>
    access(file).then(
      () => true,
      () => false,
    );
  const writes = (file: string, content: string): Step => ({
    request: { method: 'fs/write_text_file', params: { path: file, content } },
  });

  before(async () => {
    window = await VsCodeWindow.open({
      prepare: async (sandbox) => {
        ({ workspace } = sandbox);
        agent = new PlannedAgent(sandbox);
        await agent.install();
        for (const [folder, file] of places) await put(at(folder, file), 'text\n');
        const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
        const git = (...args: string[]) => run('git', [...identity, ...args], { cwd: at('trees'), env: sandbox.env });
        await mkdir(at('trees'));
        await git('init', '-q', '--initial-branch', 'main', 'first');
        await put(at('trees', 'first', 'first.txt'), 'text\n');
        await git('-C', 'first', 'add', 'first.txt');
        await git('-C', 'first', 'commit', '-q', '-m', 'first');
        await git('clone', '-q', '--bare', 'first', '.bare');
        await put(at('trees', '.git'), 'gitdir: ./.bare\n');
        await git('-C', '.bare', 'worktree', 'add', '-q', '../main', 'main');
        await rm(at('trees', 'first'), { recursive: true });
      },
    });
    chat = new ChatView(window.page);
    await window.runCommand('Backline: Open Chat');
  });
  after(() => window.close());

  /** Sends the writes, and denies those of the given files when they are asked about. */
  async function attack(name: string, steps: readonly Step[], denied: readonly string[]): Promise<void> {
    await agent.plan(name, steps);
    await chat.send(name);
    for (const file of denied) await (await ApprovalCard.shown(window, chat, file)).answer('Deny');
    await agent.allAnswers(name);
    assert.equal(await exists(mark(name)), false);
  }

  for (const [folder, file, where] of places) {
    it(`is asked about in ${where}, and nothing runs`, async () => {
      const name = path.basename(at(folder));
      const parts = [
        writes(at(folder, 'objects', 'x'), 'x'),
        writes(at(folder, 'refs', 'x'), 'x'),
        writes(at(folder, 'config'), configFor(name, at(folder))),
        writes(at(folder, 'HEAD'), head),
      ];
      await attack(name, parts, ['config', 'HEAD']);
      assert.equal(await exists(at(folder, 'HEAD')), false);
      await window.openFile(file);
      await assert.rejects(run('git', ['-C', at(folder), 'status'], { env: window.sandbox.env }));
      assert.equal(await exists(mark(name)), false);
    });
  }

  it('is asked about in a bare repository with worktrees, and nothing runs', async () => {
    const parts = [
      writes(prepared('objects', 'x'), 'x'),
      writes(prepared('refs', 'x'), 'x'),
      writes(prepared('config'), configFor('bare', at('trees', 'main'))),
      writes(commondir(), `${prepared()}\n`),
      writes(at('trees', '.bare', 'hooks', 'pre-commit'), '#!/bin/sh\n'),
      writes(at('trees', '.bare', 'HEAD'), 'ref: refs/heads/other\n'),
      writes(at('trees', '.bare', 'info', 'attributes'), '* filter=x\n'),
      writes(at('trees', '.bare', 'worktrees', 'main', 'config.worktree'), configFor('bare', at('trees', 'main'))),
    ];
    const denied = ['config', 'commondir', 'pre-commit', 'HEAD', 'attributes', 'config.worktree'];
    await attack('bare', parts, denied);
    await window.openFile('first.txt');
    assert.equal(await exists(mark('bare')), false);
  });

  it('would have made VS Code run the programs: it does with the files that were denied', async () => {
    for (const [folder] of places) {
      await put(at(folder, 'config'), configFor(path.basename(at(folder)), at(folder)));
      await put(at(folder, 'HEAD'), head);
    }
    await put(prepared('config'), configFor('bare', at('trees', 'main')));
    await put(commondir(), `${prepared()}\n`);
    await window.reload();
    for (const file of [...places.map(([, name]) => name), 'first.txt']) await window.openFile(file);
    for (const name of [...places.map(([folder]) => path.basename(at(folder))), 'bare'])
      await eventually(`the program of ${name}`, async () => assert.ok(await exists(mark(name))));
  });
});
