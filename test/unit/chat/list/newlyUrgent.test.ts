import assert from 'node:assert/strict';
import type { ConversationRow } from '../../../../src/chat/common/chatView';
import { newlyUrgent } from '../../../../src/chat/common/list/newlyUrgent';
import { splitAtMatches } from '../../../../src/chat/common/list/splitAtMatches';

function row(id: string, state: ConversationRow['state'], part: Partial<ConversationRow> = {}): ConversationRow {
  return { id, title: id, backendId: 'a', backendTitle: 'Agent', updatedAt: 0, state, ...part };
}

const said = (before: ConversationRow[], ...changed: ConversationRow[]): string =>
  newlyUrgent(new Map(before.map((one) => [one.id, one])), changed);

describe('what a screen reader hears of the list', () => {
  it('is what begins to need input, with the reason, and what fails', () => {
    const asks = row('Fix', 'waiting', { need: { kind: 'approval', text: 'Wants to run npm test' } });
    assert.equal(said([row('Fix', 'busy')], asks), '“Fix” needs your input: Wants to run npm test.');
    assert.equal(
      said([row('a', 'busy'), row('b', 'busy')], row('a', 'failed'), row('b', 'interrupted')),
      '“a” failed. “b” was interrupted.',
    );
  });

  it('is each further request of one that still waits', () => {
    const asks = (text: string, approvalId: string): ConversationRow =>
      row('Fix', 'waiting', {
        need: { kind: 'approval', text, answer: { approvalId, shown: 'h', allow: 'Yes', reject: 'No' } },
      });
    assert.equal(said([asks('Wants to run a', '1')], asks('Wants to run a', '1')), '');
    assert.equal(
      said([asks('Wants to run a', '1')], asks('Wants to run b', '1')),
      '“Fix” needs your input: Wants to run b.',
    );
    assert.equal(
      said([asks('Wants to run a', '1')], asks('Wants to run a', '2')),
      '“Fix” needs your input: Wants to run a.',
    );
  });

  it('is nothing of what was not listed before', () => {
    assert.equal(said([row('a', 'busy')], row('b', 'failed'), row('c', 'waiting')), '');
  });

  it('is nothing of what goes on, ends well, or was known', () => {
    assert.equal(said([row('a', 'idle'), row('b', 'busy')], row('a', 'busy'), row('b', 'unread')), '');
    assert.equal(said([row('a', 'waiting'), row('b', 'failed')], row('a', 'waiting'), row('b', 'interrupted')), '');
  });

  it('is short if there is much, and shows hidden characters', () => {
    const three = (state: ConversationRow['state']): ConversationRow[] => ['a', 'b', 'c'].map((id) => row(id, state));
    assert.equal(said(three('busy'), ...three('waiting')), '3 conversations need input.');
    assert.equal(said(three('busy'), ...three('interrupted')), '3 conversations were interrupted.');
    assert.equal(said([row('a\u202eb', 'busy')], row('a\u202eb', 'failed')), '“a[U+202E]b” failed.');
  });
});

describe('a text that was found', () => {
  const marked = (text: string, query: string): string =>
    splitAtMatches(text, query)
      .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
      .join('');

  it('shows each word of the query, whatever the case', () => {
    assert.equal(marked('Fix the Login, then log in', 'log FIX'), '[Fix] the [Log]in, then [log] in');
    assert.equal(marked('login log', 'log login'), '[login] [log]');
    assert.equal(marked('a.b axb', 'a.b'), '[a.b] axb');
    assert.equal(marked('Straße ÜBER', 'über'), 'Straße [ÜBER]');
  });

  it('stays whole without a query or a match', () => {
    assert.deepEqual(splitAtMatches('text', ' '), [{ text: 'text', isMatch: false }]);
    assert.deepEqual(splitAtMatches('text', 'x y'), [
      { text: 'te', isMatch: false },
      { text: 'x', isMatch: true },
      { text: 't', isMatch: false },
    ]);
    assert.deepEqual(splitAtMatches('', 'x'), []);
  });
});
