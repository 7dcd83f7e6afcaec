import assert from 'node:assert/strict';
import {
  agentTraitsFrom,
  findKnownAgentByName,
  findKnownAgentByCommand,
  knownAgents,
  ownSignInArgs,
} from '../../../../../src/acp/common/catalogue/knownAgents';

describe('known agents', () => {
  it('have ids and commands of their own', () => {
    assert.equal(new Set(knownAgents.map(({ id }) => id)).size, knownAgents.length);
    assert.equal(new Set(knownAgents.map(({ command }) => command)).size, knownAgents.length);
  });

  const cases: readonly [string, readonly string[], string | undefined][] = [
    ['gemini', ['--acp'], 'gemini'],
    ['/opt/bin/gemini', [], 'gemini'],
    ['C:\\npm\\gemini.cmd', [], 'gemini'],
    ['npx', ['-y', '@google/gemini-cli', '--acp'], 'gemini'],
    ['npx', ['-y', '@google/gemini-cli@0.61.0', '--acp'], 'gemini'],
    ['npx', ['opencode-ai@latest', 'acp'], 'opencode'],
    ['my-gemini', [], undefined],
    ['npx', ['-y', 'something-else'], undefined],
    ['node', ['/opt/cli/bundle/gemini.js', '--acp'], 'gemini'],
    ['/usr/bin/node', ['--no-warnings', '/opt/gemini.mjs', '--acp'], 'gemini'],
    ['C:\\node.exe', ['C:\\npm\\node_modules\\@google\\gemini-cli\\dist\\index.js', '--acp'], 'gemini'],
    ['/home/me/app/node_modules/@google/gemini-cli/start', [], 'gemini'],
    ['bunx', ['@github/copilot', '--acp'], 'copilot'],
    ['node', ['/opt/server.js', 'gemini'], undefined],
    ['cat', ['gemini.js'], undefined],
  ];
  for (const [command, args, expected] of cases) {
    it(`know '${[command, ...args].join(' ')}' as ${expected ?? 'none of theirs'}`, () => {
      assert.equal(findKnownAgentByCommand(command, args)?.id, expected);
    });
  }

  it('are known by what they call themselves, whatever has started them', () => {
    assert.equal(findKnownAgentByName('gemini-cli')?.id, 'gemini');
    assert.equal(findKnownAgentByName('Copilot')?.id, 'copilot');
    assert.equal(findKnownAgentByName('gemini-cli-proxy'), undefined);
    assert.equal(findKnownAgentByName(undefined), undefined);
  });

  it('tell whose counts are only those of the last request, by name or by command', () => {
    assert.equal(agentTraitsFrom('OpenCode', 'error').usageScope, 'request');
    assert.equal(agentTraitsFrom(undefined, 'error', 'kilo').usageScope, 'request');
    assert.equal(agentTraitsFrom('Claude', 'error', 'claude').usageScope, 'turn');
  });

  it('tell that Kilo signs in with its own program, whatever it says', () => {
    const kilo = findKnownAgentByCommand('node', ['/x/node_modules/@kilocode/cli/bin/kilo', 'acp']);
    const args = ['/x/node_modules/@kilocode/cli/bin/kilo', 'acp'];
    assert.deepEqual(ownSignInArgs(kilo, 'opencode', args), args.slice(0, 1));
    assert.deepEqual(ownSignInArgs(kilo, undefined, args), args);
    assert.equal(ownSignInArgs(findKnownAgentByCommand('opencode', ['acp']), 'opencode', ['acp']), undefined);
    assert.equal(ownSignInArgs(kilo, 'gh', args), undefined);
  });

  it('tell that gemini creates a file only when the missing one reads as empty', () => {
    assert.equal(findKnownAgentByCommand('gemini', [])?.missingFileReadsAs, 'empty');
    assert.equal(findKnownAgentByCommand('opencode', [])?.missingFileReadsAs, 'error');
  });
});
