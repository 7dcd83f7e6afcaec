import assert from 'node:assert/strict';
import { witnessed, type FileAccess } from '../../../src/editor/common/writeWitness';

describe('a witnessed editor', () => {
  it('lets the witness see a file before it is written, by its resolved path', async () => {
    const seen: string[] = [];
    const file = { path: '/work/a.ts', text: '', version: '1', isDirty: false };
    const files: FileAccess = {
      resolve: (path) => Promise.resolve(`/work/${path}`),
      readText: () => Promise.resolve(file),
      writeText: (path) => {
        seen.push(`write ${path}`);
        return Promise.resolve(file);
      },
    };
    const witness = {
      beforeWrite: async ({ backendId, sessionId }: { backendId: string; sessionId: string }, path: string) => {
        await Promise.resolve();
        seen.push(`${backendId} ${sessionId} ${path}`);
      },
    };
    await witnessed(files, witness, { backendId: 'agent', sessionId: 's1' }).writeText('a.ts', 'text');
    assert.deepEqual(seen, ['agent s1 /work/a.ts', 'write a.ts']);
  });
});
