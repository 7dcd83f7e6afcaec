import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, vsCodeFlags } from '../../scripts/lib/chromium.mjs';
import { within } from '../../scripts/lib/vscode/host.mjs';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { listProcesses } from '../../scripts/lib/processes.mjs';
import { makeSandbox, type Sandbox } from '../../scripts/lib/vscode/sandbox.mjs';
import { eventually } from '../support/eventually';

describe('npm start', () => {
  let sandbox: Sandbox;
  let browser: Browser;

  before(async () => {
    sandbox = await makeSandbox({ env: { BACKLINE_START: 'browser' } });
    browser = await launchChromium(vsCodeFlags);
  });

  after(async () => {
    await browser.close();
    await sandbox.remove();
  });

  it('serves the sample workspace, and leaves neither process nor lockfile after Ctrl+C', async function () {
    this.timeout(600_000);
    const start = spawn(process.execPath, ['scripts/start.mjs'], { cwd: inRoot(), env: sandbox.env });
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    let pids: number[] = [];
    try {
      await page.goto(await within(300_000, 'npm start', addressOf(start)));
      await servingIn(page);
      await eventually('the lockfile', async () => assert.equal((await lockfiles(sandbox.home)).length, 1));

      pids = await descendants(start.pid);
      const exit = once(start, 'exit');
      start.kill('SIGINT');
      assert.deepEqual(await within(60_000, 'The end', exit), [0, null]);
      assert.ok(pids.length >= 3, `the server, an extension host and more were expected: ${pids.join()}`);
      assert.deepEqual(await stillThere(pids), []);
      assert.deepEqual(await lockfiles(sandbox.home), []);
    } finally {
      for (const pid of await stillThere(pids)) process.kill(pid, 'SIGKILL');
      start.kill('SIGKILL');
      await page.close();
    }
  });
});

/** The address in the one line that `npm start` prints about it. */
function addressOf(start: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [start.stdout, start.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const address = /^Backline is running: (http:\S+)$/m.exec(output)?.[1];
        if (address) resolve(address);
      });
    }
    start.on('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
  });
}

async function servingIn(page: Page): Promise<void> {
  const item = page.locator('[id="backline.backline.backline.status"] a[aria-label*="Serving on 127.0.0.1:"]');
  await item.waitFor({ state: 'attached' });
}

async function lockfiles(home: string): Promise<string[]> {
  return readdir(path.join(home, '.local/share/amp/ide'));
}

/** Zombies do not count: they only wait for whoever has adopted them. */
async function stillThere(pids: readonly number[]): Promise<number[]> {
  return (await listProcesses()).map(({ pid }) => pid).filter((pid) => pids.includes(pid));
}

async function descendants(root: number | undefined): Promise<number[]> {
  const all = await listProcesses();
  const below = (parent: number | undefined): number[] =>
    all.filter((entry) => entry.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)]);
  return below(root);
}
