import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '../../../scripts/lib/processes.mjs';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { only } from '../../support/only';

const script = pathToFileURL(inRoot('scripts', 'lib', 'systemPackages.mjs')).href;
const ensuresBrowser = (userId: number): string => `
  process.getuid = () => ${userId};
  const { ensureBrowser } = await import(${JSON.stringify(script)});
  await ensureBrowser().catch((error) => console.log(error.message));`;

only('where programs can be shell scripts', process.platform === 'linux').describe('a browser that is missing', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-packages-'));
    await addProgram('apt-get', `echo "$@" >> '${path.join(folder, 'calls')}'`);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const addProgram = (name: string, text: string): Promise<void> =>
    writeFile(path.join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const ensureBrowser = async (userId: number): Promise<string> => {
    const args = ['--input-type=module', '-e', ensuresBrowser(userId)];
    return (await run(process.execPath, args, { env: { PATH: folder } })).output;
  };

  for (const [system, status, name] of [
    ['has a package without a window', 0, 'chromium-headless-shell'],
    ['has only a whole one', 100, 'chromium'],
  ] as const) {
    describe(`on a system that ${system}`, () => {
      beforeEach(() => addProgram('apt-cache', `exit ${status}`));

      it('is installed for root', async () => {
        const output = await ensureBrowser(0);
        const [update, install] = (await readFile(path.join(folder, 'calls'), 'utf8')).split('\n');
        assert.equal(update, 'update');
        assert.match(install ?? '', new RegExp(`^install -y --no-install-recommends ${name}( |$)`));
        assert.match(output, new RegExp(`apt-get installed ${name}( \\S+)?, but it is not found`));
      });

      it('is named in the command for other users', async () => {
        assert.match(await ensureBrowser(1000), new RegExp(`Run: sudo apt-get install -y ${name}( |$)`, 'm'));
      });
    });
  }
});
