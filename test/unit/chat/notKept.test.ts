import assert from 'node:assert/strict';
import { DiskFiles } from '../../../src/chat/node/filePort';
import { until } from '../../support/eventually';
import { draft, Window } from './support/window';

/** A disk that is full when the test says so. */
class FullDisk extends DiskFiles {
  isFull = false;

  override async writeAt(...args: Parameters<DiskFiles['writeAt']>): Promise<void> {
    if (this.isFull) throw Object.assign(new Error('the disk says no'), { code: 'ENOSPC' });
    await super.writeAt(...args);
  }
}

describe('a conversation that the disk does not take', () => {
  it('says so while a turn runs, whatever the agent says of it, and after', async () => {
    const files = new FullDisk();
    const window = await Window.open({ files });
    try {
      const chat = await window.chats.create('one');
      await chat.send(draft('Go'));
      const problem = (): string => chat.view.problem ?? '';
      assert.equal(problem(), '');
      files.isFull = true;
      const { last } = window.agent;
      last.tell({
        event: 'status:update',
        data: { session_id: last.id, status: 'working', message: 'Reading files' },
      });
      last.say('gone?');
      await until('the problem', () => problem().startsWith('The disk is full.'));
      assert.deepEqual([chat.view.status, chat.view.statusText], ['busy', 'Reading files']);
      last.end();
      await until('the end', () => chat.view.status === 'idle');
      assert.match(problem(), /^The disk is full\./);
    } finally {
      await window.remove();
    }
  });
});
