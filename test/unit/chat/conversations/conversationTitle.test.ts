import assert from 'node:assert/strict';
import fc from 'fast-check';
import { shortTitle } from '../../../../src/chat/common/conversations/conversationTitle';

describe('the title of a conversation', () => {
  it('is the first line of the prompt that has words, with single spaces', () => {
    assert.equal(shortTitle('\n \t\n  Fix   the\tlogin  \nThen test it.'), 'Fix the login');
    assert.equal(shortTitle('---\nFix the login'), 'Fix the login');
  });

  it('is a fixed one if the prompt has no words', () => {
    for (const text of ['', '   ', '\n\n \t\n', '…']) assert.equal(shortTitle(text), 'New conversation');
  });

  it('is all of up to six words', () => {
    for (const text of ['What can you do?', 'Please fix it.', 'Rename formatDuration to asMinutes in src/format.ts']) {
      assert.equal(shortTitle(text), text);
    }
  });

  const titles: Readonly<Record<string, string>> = {
    'Please fix the login bug that occurs when the password is empty': 'Fix the login bug',
    'Hi! Could you please add a test for the parser of dates? It has none.': 'Add a test for the parser',
    'I want you to move the settings of the chat into a file of their own': 'Move the settings of the chat',
    'Fix the build. It has been red since Monday and nobody knows why.': 'Fix the build',
    'useState in Counter.tsx is called in a loop, and React warns': 'useState in Counter.tsx is called',
    'can you useMemo here and everywhere else in the table component': 'useMemo here and everywhere else',
    'Why is the total of the cart wrong when I remove the last item?': 'Why is the total',
    'Hi, hello, please, please, please, please, please!': 'Hi, hello, please, please, please, please',
    'Hi-res images are blurry on the start page of the site': 'Hi-res images are blurry',
    '? ? ? that please ! please': 'that please ! please',
    'No. Do it again with the other library instead of this one': 'No. Do it again',
  };
  for (const [prompt, title] of Object.entries(titles)) {
    it(`is “${title}” for “${prompt}”`, () => assert.equal(shortTitle(prompt), title));
  }

  it('is cut to 60 UTF-16 units after a word that ends in its second half, else within the word', () => {
    const after = (spaceAt: number): string => shortTitle(`${'a'.repeat(spaceAt)} ${'b'.repeat(80)}`);
    assert.equal(shortTitle('x'.repeat(60)), 'x'.repeat(60));
    assert.equal(shortTitle('x'.repeat(61)), `${'x'.repeat(60)}…`);
    assert.equal(after(31), `${'a'.repeat(31)}…`);
    assert.equal(after(30), `${'a'.repeat(30)} ${'b'.repeat(29)}…`);
  });

  it('never ends with half of a surrogate pair', () => {
    assert.equal(shortTitle(`${'x'.repeat(59)}👋 hello`), `${'x'.repeat(59)}…`);
  });

  it('has one to six words in one line, and is its own title', () => {
    const word = fc.oneof(
      fc.constantFrom('please', 'the', 'that', 'fix', 'login.', 'of', 'Hi!', '?', '你好', '.'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 15 }), (words) => {
        const title = shortTitle(words.join(' '));
        assert.match(title, /^\S+(?: \S+){0,5}$/);
        assert.ok(title.length <= 61 && title.isWellFormed());
        assert.equal(shortTitle(title), title);
      }),
    );
  });
});
