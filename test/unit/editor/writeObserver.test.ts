import assert from 'node:assert/strict';
import { ObservedWrites, withObservedWrites, type FileAccess } from '../../../src/editor/common/writeObserver';

describe('withObservedWrites', () => {
  it('calls the observer before and after a file is written, by its resolved path', async () => {
    const seen: string[] = [];
    const file = { path: '/work/a.ts', text: '', version: '1', isDirty: false };
    const files: FileAccess = {
      resolve: (path) => Promise.resolve(`/work/${path}`),
      realPathOf: (path) => Promise.resolve(`/work/${path}`),
      readText: () => Promise.resolve(file),
      requireWritable: () => Promise.resolve(),
      writeText: (path) => {
        seen.push(`write ${path}`);
        return Promise.resolve(file);
      },
    };
    const writeObserver = {
      beforeWrite: async ({ backendId, sessionId }: { backendId: string; sessionId: string }, path: string) => {
        await Promise.resolve();
        seen.push(`before: ${backendId} ${sessionId} ${path}`);
      },
      afterWrite: (_writer: unknown, path: string) => {
        seen.push(`after: ${path}`);
        return Promise.resolve();
      },
      afterFailedWrite: () => Promise.resolve(),
      beginCommand: () => () => undefined,
    };
    const access = withObservedWrites(
      files,
      new ObservedWrites(writeObserver, { backendId: 'agent', sessionId: 's1' }),
    );
    const once = ['before: agent s1 /work/a.ts', 'write a.ts', 'after: /work/a.ts'];
    await access.writeText('a.ts', 'text');
    assert.deepEqual(seen, once);
    await Promise.all([access.writeText('a.ts', 'text'), access.writeText('a.ts', 'text')]);
    assert.deepEqual(seen, [...once, ...once, ...once], 'one write of a file at a time');
  });

  it('reports a failed write as such', async () => {
    const seen: string[] = [];
    const refused: FileAccess = {
      resolve: (path) => Promise.resolve(path),
      realPathOf: (path) => Promise.resolve(path),
      readText: () => Promise.reject(new Error('not read')),
      requireWritable: () => Promise.resolve(),
      writeText: () => Promise.reject(new Error('full')),
    };
    const writeObserver = {
      beforeWrite: () => Promise.resolve(),
      afterWrite: () => {
        seen.push('after');
        return Promise.resolve();
      },
      afterFailedWrite: (_writer: unknown, path: string) => {
        seen.push(`failed: ${path}`);
        return Promise.resolve();
      },
      beginCommand: () => () => undefined,
    };
    const access = withObservedWrites(
      refused,
      new ObservedWrites(writeObserver, { backendId: 'agent', sessionId: 's1' }),
    );
    await assert.rejects(access.writeText('/a', 'text'), /full/);
    assert.deepEqual(seen, ['failed: /a']);
  });

  it('observes every file of a write, and lets no two writes wait for each other', async () => {
    const seen: string[] = [];
    const writes = new ObservedWrites(
      {
        beforeWrite: (_writer, path) => Promise.resolve(void seen.push(`before ${path}`)),
        afterWrite: (_writer, path) => Promise.resolve(void seen.push(`after ${path}`)),
        afterFailedWrite: (_writer, path) => Promise.resolve(void seen.push(`failed ${path}`)),
        beginCommand: () => () => undefined,
      },
      { backendId: 'agent', sessionId: 's1' },
    );
    const write = (name: string) => () => Promise.resolve(void seen.push(name));
    await Promise.all([writes.run(['/a', '/b'], write('one')), writes.run(['/b', '/a', '/b'], write('two'))]);
    const around = (name: string): string[] => ['before /a', 'before /b', name, 'after /a', 'after /b'];
    assert.deepEqual(seen, [...around('one'), ...around('two')]);
  });
});
