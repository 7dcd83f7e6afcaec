import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import * as path from 'node:path';
import { run } from '../../../scripts/lib/processes.mjs';
import { only } from '../../support/only';

const memory = '/dev/shm';

describe('temporary files in memory', () => {
  /** Runs code in a process of its own, in which `remove` removes them. Resolves to what it prints. */
  async function runWith(env: NodeJS.ProcessEnv, code: string): Promise<string> {
    const script = `const { keepTemporaryFilesInMemory } = await import(${JSON.stringify(path.resolve('scripts/lib/tests/memoryFolder.mjs'))});
      const remove = keepTemporaryFilesInMemory();
      ${code}`;
    const { output } = await run(process.execPath, ['--input-type=module', '-e', script], { env });
    return output.trim();
  }
  const withoutFolder = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'TMPDIR'));
  const print = 'process.stdout.write(process.env.TMPDIR);';

  it('are where somebody wants to have them', async () => {
    assert.equal(await runWith({ ...withoutFolder, TMPDIR: '/elsewhere' }, `${print} remove();`), '/elsewhere');
  });

  only('where Linux has memory for files', process.platform === 'linux' && existsSync(memory)).it(
    'are removed at the end, also those of a run that was killed',
    async () => {
      // No process has this number.
      const left = await mkdtemp(path.join(memory, `backline-${2 ** 30}-`));
      try {
        const folder = await runWith(withoutFolder, `${print.replace('TMPDIR', 'TMPDIR ?? ""')} remove();`);
        // It is empty where there is too little memory.
        if (folder === '') return;
        assert.ok(folder.startsWith(memory), folder);
        assert.deepEqual([existsSync(folder), existsSync(left)], [false, false]);
        const killed = await runWith(withoutFolder, `${print} process.kill(process.pid, 'SIGKILL');`);
        assert.equal(existsSync(killed), true);
        await runWith(withoutFolder, 'remove();');
        assert.equal(existsSync(killed), false);
      } finally {
        await rm(left, { recursive: true, force: true });
      }
    },
  );
});
