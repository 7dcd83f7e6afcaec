import assert from 'node:assert/strict';
import { mayDownloadPackage } from '../../../../../src/acp/common/catalogue/packageRunners';

describe('a command line', () => {
  const cases: readonly [string, boolean][] = [
    ['npx -y @google/gemini-cli --acp', true],
    ['C:\\node\\npx.cmd opencode-ai acp', true],
    ['npm exec opencode-ai', true],
    ['/usr/bin/uvx agent', true],
    ['docker run --rm agent', true],
    ['npm start', false],
    ['docker exec agent run', false],
    ['gemini --acp', false],
    ['node demo-agent.js', false],
    ['/usr/share/code/code /dist/demo-agent.js', false],
  ];
  for (const [line, expected] of cases) {
    it(`'${line}' ${expected ? 'may download' : 'downloads nothing'}`, () => {
      const [command = '', ...args] = line.split(' ');
      assert.equal(mayDownloadPackage(command, args), expected);
    });
  }
});
