import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually';
import { ApprovalCard } from './support/approvalCard';
import { ChatView } from './support/chatView';
import { PlannedAgent, type Step } from './support/plannedAgent';
import { VsCodeWindow } from './support/window';

const run = promisify(execFile);
const head = 'ref: refs/heads/main\n';

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

  async function open(prepare: (git: (...args: string[]) => Promise<unknown>) => Promise<void>): Promise<void> {
    window = await VsCodeWindow.open({
      prepare: async (sandbox) => {
        ({ workspace } = sandbox);
        agent = new PlannedAgent(sandbox);
        await agent.install();
        const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
        await prepare((...args) => run('git', [...identity, ...args], { cwd: workspace, env: sandbox.env }));
      },
    });
    chat = new ChatView(window.page);
    await window.runCommand('Backline: Open Chat');
  }
  afterEach(() => window.close());

  /** Sends the writes, and denies those of the given files when they are asked about. */
  async function attack(name: string, steps: readonly Step[], denied: readonly string[]): Promise<void> {
    await agent.plan(name, steps);
    await chat.send(name);
    for (const file of denied) await (await ApprovalCard.shown(window, chat, file)).answer('Deny');
    await agent.allAnswers(name);
    assert.equal(await exists(mark(name)), false);
  }

  /** That VS Code does run the program as soon as the missing file is there, and what holds it off is the question. */
  async function runsWith(name: string, file: string, text: string, opened: string): Promise<void> {
    await put(file, text);
    await window.reload();
    await window.openFile(opened);
    await eventually('the program of the configuration', async () => assert.ok(await exists(mark(name))));
  }

  for (const [where, folder, file] of [
    ['the workspace folder', '.', 'readme.txt'],
    ['a folder in it', 'lib', 'lib.txt'],
  ] as const) {
    it(`is asked about in ${where}, and nothing runs`, async () => {
      await open(async () => {
        await put(at(folder, file), 'text\n');
      });
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

      await put(at(folder, 'config'), configFor(name, at(folder)));
      await runsWith(name, at(folder, 'HEAD'), head, file);
    });
  }

  it('is asked about in a bare repository with worktrees, and nothing runs', async () => {
    await open(async (git) => {
      await git('init', '-q', '--initial-branch', 'main', 'first');
      await put(at('first', 'text.txt'), 'text\n');
      await git('-C', 'first', 'add', 'text.txt');
      await git('-C', 'first', 'commit', '-q', '-m', 'first');
      await git('clone', '-q', '--bare', 'first', '.bare');
      await put(at('.git'), 'gitdir: ./.bare\n');
      await git('-C', '.bare', 'worktree', 'add', '-q', '../main', 'main');
    });
    const commondir = at('.bare', 'worktrees', 'main', 'commondir');
    const parts = [
      writes(at('prepared', 'objects', 'x'), 'x'),
      writes(at('prepared', 'refs', 'x'), 'x'),
      writes(at('prepared', 'config'), configFor('bare', at('main'))),
      writes(commondir, `${at('prepared')}\n`),
      writes(at('.bare', 'hooks', 'pre-commit'), '#!/bin/sh\n'),
      writes(at('.bare', 'HEAD'), 'ref: refs/heads/other\n'),
      writes(at('.bare', 'info', 'attributes'), '* filter=x\n'),
      writes(at('.bare', 'worktrees', 'main', 'config.worktree'), configFor('bare', at('main'))),
    ];
    const denied = ['config', 'commondir', 'pre-commit', 'HEAD', 'attributes', 'config.worktree'];
    await attack('bare', parts, denied);
    await window.openFile('text.txt');
    assert.equal(await exists(mark('bare')), false);

    await put(at('prepared', 'config'), configFor('bare', at('main')));
    await runsWith('bare', commondir, `${at('prepared')}\n`, 'text.txt');
  });
});
