import assert from 'node:assert/strict';
import { stopPoint } from '../../../src/startingPoints/common/stopPoint';

const exception = { title: 'no price', description: 'Error: no price' };
const shown = {
  name: 'price',
  path: '/work/price.js',
  place: '/work/price.js:2',
  line: 1,
  text: 'one\ntwo\n',
  scopes: [
    { name: 'Local', variables: [{ name: 'song', value: 'x'.repeat(900) }] },
    { name: 'Closure', variables: [] },
  ],
};

describe('a program that has stopped, for an agent', () => {
  it('has its variables in a text of their own, with limits', () => {
    const frames = [shown, { name: 'timers', place: undefined }];
    const { prompt, texts } = stopPoint({ exception, frames, shown });
    assert.match(prompt, /stopped at this exception/);
    assert.deepEqual(
      texts.map(({ title }) => title),
      ['Exception: no price', 'Variables of price'],
    );
    assert.match(texts[0]?.text ?? '', /Stack:\n {2}at price \(\/work\/price\.js:2\)\n {2}at timers\n\nLines of/);
    assert.equal(texts[1]?.text, `Local:\n  song = ${'x'.repeat(500)}…`);
    const many = Array.from({ length: 400 }, (_, index) => ({ name: `v${index}`, value: 'y'.repeat(400) }));
    const long = stopPoint({ exception, frames, shown: { ...shown, scopes: [{ name: 'Local', variables: many }] } });
    assert.equal(long.texts[1]?.text.length, 16_001);
  });

  it('has no variables if there are none, and no exception if it has stopped for another reason', () => {
    const { prompt, texts } = stopPoint({ frames: [], shown: { ...shown, scopes: [] } });
    assert.match(prompt, /stopped here in the debugger/);
    assert.deepEqual(
      texts.map(({ title }) => title),
      ['Where the program has stopped'],
    );
  });
});
