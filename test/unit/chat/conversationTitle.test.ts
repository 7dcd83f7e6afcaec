import assert from 'node:assert/strict';
import { titleOfPrompt } from '../../../src/chat/common/conversations/conversationTitle';

describe('titleOfPrompt', () => {
  it('is the first line of the prompt that has words, with single spaces', () => {
    assert.equal(titleOfPrompt('\n \t\n  Fix   the\tlogin  \nThen test it.'), 'Fix the login');
  });

  it('is a fixed title if the prompt has no words', () => {
    for (const text of ['', '   ', '\n\n \t\n']) assert.equal(titleOfPrompt(text), 'New conversation');
  });

  it('is not cut up to 80 UTF-16 units', () => {
    const eighty = 'x'.repeat(80);
    assert.equal(titleOfPrompt(eighty), eighty);
    assert.equal(titleOfPrompt(`${eighty}x`), `${eighty}…`);
  });

  it('is cut after a word that ends in its second half, else within the word', () => {
    const after = (spaceAt: number): string => titleOfPrompt(`${'a'.repeat(spaceAt)} ${'b'.repeat(80)}`);
    assert.equal(after(41), `${'a'.repeat(41)}…`);
    assert.equal(after(40), `${'a'.repeat(40)} ${'b'.repeat(39)}…`);
    assert.equal(after(10), `${'a'.repeat(10)} ${'b'.repeat(69)}…`);
  });

  it('never ends with half of a surrogate pair', () => {
    assert.equal(titleOfPrompt(`${'x'.repeat(79)}👋 hello`), `${'x'.repeat(79)}…`);
  });
});
