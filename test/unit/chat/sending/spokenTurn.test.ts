import assert from 'node:assert/strict';
import { answersOfLastTurn } from '../../../../src/chat/common/sending/spokenTurn';
import type { Entry } from '../../../../src/transcript/common/entries';

describe('What an agent has said in a turn', () => {
  const prompt = (id: string, isSteered = false): Entry => ({
    kind: 'prompt',
    id,
    turn: 1,
    text: id,
    ...(isSteered && { isSteered }),
  });
  const answer = (id: string): Entry => ({ kind: 'answer', id, turn: 1, text: id });

  it('begins with its prompt, also if another one has joined the turn', () => {
    const entries = [
      prompt('p1'),
      answer('before'),
      prompt('p2'),
      answer('C1: done'),
      prompt('p3', true),
      answer('C2: done'),
    ];
    assert.equal(answersOfLastTurn(entries.toReversed()), 'C1: done\n\nC2: done');
  });
});
