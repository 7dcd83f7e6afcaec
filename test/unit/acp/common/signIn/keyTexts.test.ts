import assert from 'node:assert/strict';
import { keyTexts } from '../../../../../src/acp/common/signIn/keyTexts';

describe('the texts of the boxes for keys', () => {
  it('name the environment variable of a program', () => {
    const { keyPrompt, namePrompt, otherName } = keyTexts(false);
    assert.match(keyPrompt('Mine', 'MY_KEY'), /passed only to Mine, in the environment variable MY_KEY\.$/);
    assert.match(namePrompt, /environment variable/);
    assert.equal(otherName.label, 'Other Variable…');
  });

  it('name the header reference of an agent with a URL', () => {
    const { keyPrompt, namePrompt, otherName } = keyTexts(true);
    assert.match(keyPrompt('Mine', 'TOKEN'), /sent only to Mine, in the headers with \$\{secret:TOKEN\}\.$/);
    assert.ok(namePrompt.includes('${secret:NAME}'));
    assert.equal(otherName.label, 'Other Secret…');
    assert.doesNotMatch([keyPrompt('Mine', 'TOKEN'), namePrompt].join(' '), /environment/);
  });
});
