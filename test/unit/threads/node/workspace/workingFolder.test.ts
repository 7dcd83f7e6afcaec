import assert from 'node:assert/strict';
import { chooseWorkingFolder } from '../../../../../src/threads/node/workspace/workingFolder';

function setUp(there: readonly string[], choice?: 'thread' | 'workspace') {
  const looked: string[] = [];
  const asked: string[] = [];
  const ports = {
    roots: ['/ws', '/wt/fix'],
    choose: (folder: string) => Promise.resolve((asked.push(folder), choice)),
    isFolder: (folder: string) => Promise.resolve((looked.push(folder), there.includes(folder))),
  };
  return { ports, looked, asked };
}

describe('the folder to continue in', () => {
  it("is the thread's own in the workspace or a worktree, without a question", async () => {
    const { ports, asked } = setUp(['/elsewhere', '/wt/fix/packages']);
    assert.deepEqual(await chooseWorkingFolder(['/elsewhere', '/ws/gone', '/wt/fix/packages'], ports), {
      folder: '/wt/fix/packages',
    });
    assert.deepEqual(asked, []);
  });

  it('is another one only when the user says so', async () => {
    for (const folder of ['/elsewhere', '/ws/../elsewhere', '/elsewhere/']) {
      const { ports, asked } = setUp(['/elsewhere'], 'thread');
      assert.deepEqual(await chooseWorkingFolder([folder], ports), { folder: '/elsewhere' });
      assert.deepEqual(asked, ['/elsewhere']);
    }
    assert.deepEqual(await chooseWorkingFolder(['/ws-2'], setUp(['/ws-2'], 'workspace').ports), { folder: '/ws' });
    assert.equal(await chooseWorkingFolder(['/'], setUp(['/']).ports), undefined);
  });

  it('is the workspace when nothing of the thread is there', async () => {
    const { ports, asked } = setUp([]);
    assert.deepEqual(await chooseWorkingFolder(['/gone', 'relative'], ports), { folder: '/ws' });
    assert.deepEqual(asked, []);
  });

  it('is never looked for on another machine', async () => {
    const { ports, looked, asked } = setUp([], 'thread');
    const remote = ['\\\\evil\\share', '//evil/share', '\\/evil/share', '\\\\?\\UNC\\evil\\share'];
    assert.deepEqual(await chooseWorkingFolder(remote, ports), { folder: '/ws' });
    assert.deepEqual([looked, asked], [[], []]);
  });
});
