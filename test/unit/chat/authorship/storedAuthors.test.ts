import assert from 'node:assert/strict';
import type { StoredAuthors } from '../../../../src/chat/node/authorship/storedAuthors';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { eventually, until } from '../../../support/eventually';
import { TestWorkspace } from '../../changes/support/workspace';
import { DiskWindow } from '../support/diskWindow';

describe('the authors of lines, from the logs of conversations', () => {
  let workspace: TestWorkspace;
  let window: DiskWindow;
  let authors: StoredAuthors;
  beforeEach(async () => {
    workspace = new TestWorkspace();
    workspace.write({ 'a.txt': 'one\ntwo\n' });
    workspace.commitAll();
    window = await DiskWindow.open(workspace);
    authors = window.createAuthors();
  });
  afterEach(async () => {
    await window.close();
    await workspace.dispose();
  });

  const linesOf = async (name: string): Promise<string[]> => {
    const text = workspace.read(name);
    const all = await authors.authorsOf(workspace.file(name), text);
    return text.split('\n').flatMap((line, index) => {
      const author = all[index];
      return author ? [`${line}: turn ${author.turn.turn}, ${author.certainty}`] : [];
    });
  };
  const areSoon = (name: string, expected: readonly string[]): Promise<void> =>
    eventually('the authors', async () => assert.deepEqual(await linesOf(name), expected));

  /** The changes of a turn are recorded some time after its end. */
  const recorded = (chat: Chat, count: number): Promise<void> =>
    until('the record of the turn', async () => {
      const records = await window.recordsOf(chat);
      return records.filter(({ type }) => type === 'changed').length === count;
    });

  it('are read as they grow: writes, commands, commits, edits of the user, and an undo', async () => {
    assert.deepEqual(await linesOf('a.txt'), []);
    const chat = await window.create();
    await window.begin(chat);
    await window.write(workspace.file('a.txt'), 'one\nby the agent\ntwo\n');
    await window.end(chat);
    await recorded(chat, 1);
    await areSoon('a.txt', ['by the agent: turn 1, written']);
    workspace.git('commit', '-qam', 'both');
    workspace.write({ 'a.txt': 'by the user\none\nby the agent\ntwo\n' });
    await areSoon('a.txt', ['by the agent: turn 1, written']);
    await window.turn(chat, () => workspace.write({ 'a.txt': 'by the user\none\nby the agent\ntwo\ngenerated\n' }));
    await recorded(chat, 2);
    await areSoon('a.txt', ['by the agent: turn 1, written', 'generated: turn 2, command']);
    await chat.revert(workspace.file('a.txt'), { turn: 2 });
    await areSoon('a.txt', ['by the agent: turn 1, written']);
    const [turn] = await authors.turnsOf(workspace.file('a.txt'), workspace.read('a.txt'));
    assert.deepEqual([turn?.conversation, turn?.turn, turn?.promptLine], [chat.id, 2, 'Go']);
    assert.equal(authors.agentOf(chat.id), 'Agent one');
  });

  it('are read by another window, too, and forgotten with the conversation', async () => {
    const chat = await window.create();
    await window.begin(chat);
    await window.write(workspace.file('new.txt'), 'first\n');
    await window.end(chat);
    await recorded(chat, 1);
    await areSoon('new.txt', ['first: turn 1, written']);
    await window.close();
    window = await DiskWindow.open(workspace);
    authors = window.createAuthors();
    await areSoon('new.txt', ['first: turn 1, written']);
    await window.delete(chat.id);
    await areSoon('new.txt', []);
  });
});
