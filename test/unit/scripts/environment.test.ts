import assert from 'node:assert/strict';
import * as path from 'node:path';
import { run } from '../../../scripts/lib/processes.mjs';

/** What scripts/lib/paths.mjs takes as the cache, in a process with such a variable. */
async function cacheRoot(value: string | undefined): Promise<string> {
  const file = JSON.stringify(path.resolve('scripts/lib/paths.mjs'));
  const script = `process.stdout.write((await import(${file})).cacheRoot);`;
  const env = { ...process.env, BACKLINE_CACHE: value };
  return (await run(process.execPath, ['--input-type=module', '-e', script], { env })).output;
}

describe('the environment of the scripts', () => {
  it('puts the cache where BACKLINE_CACHE says; an empty one counts as not set', async () => {
    assert.equal(await cacheRoot('/somewhere'), '/somewhere');
    assert.equal(await cacheRoot(undefined), path.resolve('.cache'));
    assert.equal(await cacheRoot(''), path.resolve('.cache'));
  });
});
