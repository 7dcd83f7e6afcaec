import assert from 'node:assert/strict';
import { splitCommand } from '../../../../../src/acp/common/catalogue/splitCommand';

describe('a command line is split into arguments', () => {
  const cases: [line: string, argv: string[]][] = [
    ['git status', ['git', 'status']],
    ['  echo   a  ', ['echo', 'a']],
    [`echo 'a b' "c d"`, ['echo', 'a b', 'c d']],
    [`echo "say \\"hi\\"" 'it'\\''s'`, ['echo', 'say "hi"', "it's"]],
    [`echo '' ""`, ['echo', '', '']],
    [`node -e 'console.log("$HOME; rm -rf")'`, ['node', '-e', 'console.log("$HOME; rm -rf")']],
    ['a\\ b c', ['a b', 'c']],
    ['', []],
  ];
  for (const [line, argv] of cases) it(JSON.stringify(line), () => assert.deepEqual(splitCommand(line), argv));

  it('refuses a quote that is not closed', () => assert.throws(() => splitCommand('echo "a'), SyntaxError));
});
