import assert from 'node:assert/strict';
import { parseGitConfig } from '../../../../../src/editor/common/protection/gitConfig';

const valuesOf = (text: string): string[] =>
  parseGitConfig(text).map(({ section, key, value }) => `${section}.${key}=${value}`);

describe('a configuration of Git', () => {
  for (const [title, text, values] of [
    ['is read whatever the case of its names', '[CORE]\n\tHooksPath = a/b\n', ['core.hookspath=a/b']],
    ['may have a value on the line of its section', '[core] hooksPath=x', ['core.hookspath=x']],
    ['has comments that are no part of a value', '[core]\nhooksPath = a # c\n; hooksPath = no\n', ['core.hookspath=a']],
    ['has quotes and escapes', '[core]\nhooksPath = " a;b \\"c\\" "d\\\\e\n', ['core.hookspath= a;b "c" d\\e']],
    ['may go on behind a backslash', '[core]\nhooksPath = a\\\n/b\n', ['core.hookspath=a/b']],
    [
      'has no backslash that goes on in a comment',
      '[core]\nhooksPath = a # \\\nbare = no\n',
      ['core.hookspath=a', 'core.bare=no'],
    ],
    ['has blanks inside of a value, none around it', '[core]\nhooksPath =  a  b \t\r\n', ['core.hookspath=a  b']],
    ['has subsections', '[includeIf "gitdir:x]\\"y"] path = z', ['includeif.path=z']],
    ['says nothing where it is no configuration', '[core\nhooksPath\n=x\n[]\n', []],
  ] as const) {
    it(title, () => assert.deepEqual(valuesOf(text), values));
  }
});
