import assert from 'node:assert/strict';
import { build } from 'esbuild';
import { contextWorkerBundle } from '../../../scripts/lib/bundles/contextWorker.mjs';
import { threadIndexWorkerBundle } from '../../../scripts/lib/bundles/threadIndexWorker.mjs';

describe('the programs of workers', () => {
  const programs = [
    { title: 'for context providers have no zod', bundle: contextWorkerBundle(), excluded: 'node_modules/zod/' },
    {
      title: 'for threads only have zod/mini',
      bundle: threadIndexWorkerBundle(),
      excluded: 'node_modules/zod/v4/classic/',
    },
  ];
  for (const { title, bundle, excluded } of programs) {
    it(`${title}, because they start while somebody waits`, async () => {
      const { metafile } = await build({
        ...bundle,
        absWorkingDir: process.cwd(),
        outdir: 'out',
        write: false,
        metafile: true,
      });
      const files = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
      assert.deepEqual(
        files.filter((file) => file.startsWith(excluded)),
        [],
      );
      assert.notEqual(files.length, 0);
    });
  }
});
