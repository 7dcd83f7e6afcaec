import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

/** The files that start programs, each with the program that it starts. */
const starters: Readonly<Record<string, string>> = {
  'acp/demo/v2/v2Turn.ts': 'what the user of the demo agent asked for and allowed',
  'acp/node/process/agentProcess.ts': 'the configured agent',
  'acp/node/process/agentReaper.ts': 'our own reaper',
  'acp/node/process/processTree.ts': 'taskkill',
  'acp/node/process/terminalProcess.ts': 'what an agent, or the demo agent’s user, asked for and the user allowed',
  'agents/node/programs/runProgram.ts': 'npm’s own client and uv, to install what the user agreed to',
  'changes/node/git/gitProgram.ts': 'Git, in a repository of our own',
  'threads/node/cli/runCommand.ts': 'the amp CLI',
  'chat/node/systemNotification.ts': 'shows a notification, with no input but a text of one line',
  'tools/node/ripgrepSearch.ts': 'the ripgrep that comes with VS Code, found by its place and not by PATH',
};

/**
 * Git runs what a repository's own configuration names (`core.fsmonitor`, hooks, pagers), so in the user's repository it is
 * only VS Code's Git extension that runs it, which asks for the workspace's trust. Checkpoints have a repository of their own,
 * with no configuration but ours.
 */
describe('the programs that Backline starts', () => {
  const root = path.join(process.cwd(), 'src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => file.split(path.sep).join('/'));
  const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');

  it('are known: a file that starts one stands in the list', () => {
    const found = files.filter((file) =>
      /from '(?:node:)?child_process'/.test(textOf(file).replace(/import type .*/g, '')),
    );
    assert.deepEqual(found.toSorted(), Object.keys(starters).toSorted());
  });

  it('are never Git but for that', () => {
    const wrong = files.filter((file) =>
      /(?:spawn|spawnSync|execFile|execFileSync|run)\(\s*['"`]git\b/.test(textOf(file)),
    );
    assert.deepEqual(wrong, []);
  });
});
