import assert from 'node:assert/strict';
import { tabKeyOf, restoreThreadIdOfTab } from '../../../../../src/threads/common/tree/tabKey';
import { head } from '../../support/threadHead';

describe('the tab of a thread that is opened again', () => {
  const file = head('T-1', { source: 'file', path: '/tmp/export.json' });

  it('knows the file that was opened, and takes it in again', async () => {
    const kept = tabKeyOf('T-1', file);
    const added: string[] = [];
    const add = (path: string) => Promise.resolve({ ...file, id: `T-${added.push(path)}` });
    assert.equal(await restoreThreadIdOfTab(kept, add), 'T-1');
    assert.deepEqual(added, ['/tmp/export.json']);
  });

  it('knows the others by their ids, whether they are listed or not', async () => {
    for (const known of [head('T-2', { path: '/store/T-2.json' }), undefined]) {
      const kept = tabKeyOf('T-2', known);
      assert.equal(await restoreThreadIdOfTab(kept, () => assert.fail('no file')), 'T-2');
    }
  });

  it('has a tab also for a file that is gone', async () => {
    assert.equal(
      await restoreThreadIdOfTab('/tmp/gone.json', () => Promise.reject(new Error('gone'))),
      '/tmp/gone.json',
    );
  });
});
