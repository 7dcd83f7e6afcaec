import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatCommandLine, parseCommandLine } from '../../../../../src/agents/common/page/enteredCommand';

describe('a command line in a form', () => {
  it('is split at spaces outside of quotes, with backslashes as they are', () => {
    assert.deepEqual(parseCommandLine(`  agent --acp "two words" 'it"s' a"b c"d ""`), [
      'agent',
      '--acp',
      'two words',
      'it"s',
      'ab cd',
      '',
    ]);
    assert.deepEqual(parseCommandLine(String.raw`"C:\Program Files\agent.exe" -x`), [
      String.raw`C:\Program Files\agent.exe`,
      '-x',
    ]);
  });

  it('is refused with an open quote', () => {
    assert.throws(() => parseCommandLine('agent "a'), /missing a closing "/);
  });

  it('reads back as the words that it was written from', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        assert.deepEqual(parseCommandLine(formatCommandLine(words)), words);
      }),
    );
  });
});
