import assert from 'node:assert/strict';
import type { ConversationRow } from '../../../../src/chat/common/chatView';
import { verbsOf, verbsOfAll, type RowVerb } from '../../../../src/chat/common/list/rowVerbs';

function row(part: Partial<ConversationRow> = {}): ConversationRow {
  return { id: 'r', title: 'r', backendId: 'a', backendTitle: 'Agent', updatedAt: 0, state: 'idle', ...part };
}

const has = (part: Partial<ConversationRow>, ...verbs: RowVerb[]): void =>
  assert.deepEqual(
    verbs.filter((verb) => !verbsOf(row(part)).includes(verb)),
    [],
    JSON.stringify(part),
  );
const hasNot = (part: Partial<ConversationRow>, ...verbs: RowVerb[]): void =>
  assert.deepEqual(
    verbs.filter((verb) => verbsOf(row(part)).includes(verb)),
    [],
    JSON.stringify(part),
  );

describe('what can be done with a conversation', () => {
  it('of which nothing is special', () => {
    assert.deepEqual(verbsOf(row()), [
      'open',
      'openInTab',
      'rename',
      'pin',
      'archive',
      'fork',
      'continueWith',
      'export',
      'delete',
    ]);
  });

  it('depends on what it does', () => {
    for (const state of ['busy', 'waiting'] as const) {
      has({ state }, 'stop', 'pin', 'delete');
      hasNot({ state }, 'archive', 'continueWith');
    }
    for (const state of ['idle', 'unread', 'failed', 'interrupted'] as const) hasNot({ state }, 'stop');
    has({ changes: { files: 1, added: 0, removed: 0 } }, 'review');
    hasNot({ changes: { files: 0, added: 0, removed: 0 } }, 'review');
  });

  it('depends on where it is', () => {
    has({ elsewhere: { folder: '/x', isGone: false } }, 'openInNewWindow', 'locateFolder');
    hasNot({ elsewhere: { folder: '/x', isGone: true } }, 'openInNewWindow');
    hasNot({ elsewhere: { isGone: true } }, 'openInNewWindow', 'locateFolder');
    has({ elsewhere: { folder: '/x', isGone: false }, isInOtherWindow: true }, 'goToWindow');
    hasNot({ elsewhere: { folder: '/x', isGone: false }, isInOtherWindow: true }, 'openInNewWindow');
  });

  it('can be taken back', () => {
    has({ isPinned: true, isArchived: true }, 'unpin', 'unarchive');
    hasNot({ isPinned: true, isArchived: true }, 'pin', 'archive');
  });

  it('is little if Backline does not store it', () => {
    assert.deepEqual(verbsOf(row({ source: 'amp', state: 'busy' })), ['open', 'export']);
    assert.deepEqual(verbsOf(row({ remote: true })), ['open', 'delete']);
  });

  it('is for several what fits all of them', () => {
    assert.deepEqual(verbsOfAll([row(), row({ state: 'busy' })]), ['pin', 'delete']);
    assert.deepEqual(verbsOfAll([row({ isPinned: true }), row()]), ['archive', 'delete']);
    assert.deepEqual(verbsOfAll([row(), row({ source: 'amp' })]), []);
    assert.deepEqual(verbsOfAll([]), []);
  });
});
