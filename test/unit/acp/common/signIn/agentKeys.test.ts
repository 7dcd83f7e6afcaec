import assert from 'node:assert/strict';
import { isKeyVariable, keyProblem, keyUseOfKnownAgent } from '../../../../../src/acp/common/signIn/agentKeys';
import { knownAgents } from '../../../../../src/acp/common/catalogue/knownAgents';
import { signInChoices } from '../../../../../src/acp/common/signIn/signInChoices';
import { signInWays, wayOfVariable } from '../../../../../src/acp/common/signIn/signInWays';
import type { AgentAuthMethod } from '../../../../../src/acp/common/session/agentMessages';
import { InitializeResult } from '../../../../../src/acp/common/v1/v1Schema';

function methodsOf(authMethods: readonly object[]): readonly AgentAuthMethod[] {
  return InitializeResult.parse({ protocolVersion: 1, authMethods }).authMethods ?? [];
}

const waysOf = (agentId: string | undefined, methods: readonly object[]): string[] =>
  signInWays(methodsOf(methods), keyUseOfKnownAgent(agentId)).map(({ kind, method }) => `${kind} ${method.id}`);

describe('the keys of known agents', () => {
  it('have variables that can be stored, pages over https, and names in title case', () => {
    const uses = knownAgents.map(({ id }) => keyUseOfKnownAgent(id));
    const keys = uses.flatMap((use) => use.keys);
    assert.ok(keys.length > 5);
    for (const { name, page, variable } of keys) {
      assert.ok(isKeyVariable(variable), variable);
      assert.match(name, /^[A-Z]/);
      assert.ok(page === undefined || new URL(page).protocol === 'https:', page);
    }
  });

  it('do not exist for agents that nobody looked at', () => {
    assert.deepEqual(keyUseOfKnownAgent('goose').keys, []);
    assert.deepEqual(keyUseOfKnownAgent(undefined).keys, []);
    assert.deepEqual(keyUseOfKnownAgent('__proto__').keys, []);
  });

  it('take the place of the agent’s own method that needs them', () => {
    const methods = [
      { id: 'oauth-personal', name: 'Log in with Google' },
      { id: 'gemini-api-key', name: 'Gemini API key' },
    ];
    assert.deepEqual(waysOf('gemini', methods), ['agent oauth-personal', 'key key:GEMINI_API_KEY']);
    assert.deepEqual(waysOf(undefined, methods), ['agent oauth-personal', 'agent gemini-api-key']);
    const [, key] = signInWays(methodsOf(methods), keyUseOfKnownAgent('gemini'));
    assert.ok(key?.kind === 'key' && key.agentMethodId === 'gemini-api-key');
    const [alone] = signInWays([], keyUseOfKnownAgent('gemini'));
    assert.ok(alone?.kind === 'key' && alone.agentMethodId === undefined);
  });

  it('are read from methods that announce a variable', () => {
    const announced = {
      id: 'env',
      name: 'Keys',
      type: 'env_var',
      link: 'https://example.com/keys',
      vars: [{ name: 'ANTHROPIC_API_KEY', label: 'Main key' }, { name: 'OTHER_TOKEN' }, { name: 'NODE_OPTIONS' }],
    };
    assert.deepEqual(waysOf('claude', [announced]), ['key env'], 'the known variable is not offered twice');
    const choices = signInChoices(
      signInWays(methodsOf([announced]), keyUseOfKnownAgent(undefined)).map(({ method }) => method),
    );
    assert.deepEqual(
      choices.map(({ label, key }) => [label, key?.variable, key?.page]),
      [
        ['Main key', 'ANTHROPIC_API_KEY', 'https://example.com/keys'],
        ['OTHER_TOKEN', 'OTHER_TOKEN', 'https://example.com/keys'],
      ],
    );
    assert.deepEqual(waysOf(undefined, [{ ...announced, vars: [{ name: 'PATH' }] }]), ['agent env']);
    assert.deepEqual(waysOf(undefined, [{ id: 'old', name: 'Old', type: 'env_var', varName: 'KEY_A' }]), ['key old']);
  });

  it('can be stored for any other variable, but for those that decide what runs', () => {
    for (const variable of ['PATH', 'Path', 'LD_PRELOAD', 'NODE_OPTIONS', 'GIT_SSH_COMMAND', '1A', 'A-B', '']) {
      assert.ok(!isKeyVariable(variable), variable);
    }
    assert.equal(wayOfVariable('MY_KEY').method.id, 'key:MY_KEY');
  });

  it('are checked before they are stored', () => {
    assert.equal(keyProblem('  sk-12345678 '), undefined);
    assert.equal(keyProblem('{"accessToken": "abc"}'), undefined);
    for (const key of ['', '   ', 'short', 'with\nline break', 'nul\0nul\0nul', 'x'.repeat(20_000)]) {
      assert.match(keyProblem(key) ?? '', /\.$/, key.slice(0, 20));
    }
  });
});
