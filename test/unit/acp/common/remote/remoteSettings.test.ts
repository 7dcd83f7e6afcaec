import assert from 'node:assert/strict';
import { parseAgentSettings } from '../../../../../src/acp/common/catalogue/agentSettings';
import { resolveHeaders, secretNamesIn } from '../../../../../src/acp/common/remote/agentHeaders';
import { agentUrlProblem, remoteHostOf, shownUrl } from '../../../../../src/acp/common/remote/agentUrl';

const problemsOf = (entry: object): string => parseAgentSettings({ far: entry }).problems.join();

describe('an agent with a url in backline.acp.agents', () => {
  it('needs only the url', () => {
    const { agents, problems } = parseAgentSettings({ far: { url: 'wss://agents.example/acp' } });
    assert.deepEqual(problems, []);
    assert.deepEqual(agents.get('far'), { url: 'wss://agents.example/acp', headers: {}, mcpServers: {} });
  });

  it('accepts all members that are of use to it', () => {
    const far = {
      url: 'https://agents.example/acp',
      headers: { Authorization: 'Bearer ${secret:TOKEN}' },
      cwd: '/srv/project',
      protocol: '2',
      defaults: { mode: 'plan' },
      mcpServers: {},
    };
    assert.deepEqual(parseAgentSettings({ far }).agents.get('far'), far);
  });

  it('is left out with the reason if it also has a command, or members of a process', () => {
    const url = 'https://agents.example/acp';
    assert.match(problemsOf({ url, command: 'a' }), /use either "command" or "url", not both/);
    assert.match(problemsOf({ url, args: ['--acp'] }), /args/);
    assert.match(problemsOf({ url, dialect: 'draft' }), /dialect/);
  });

  it('is left out with the reason for a header that cannot be sent', () => {
    const headers = (name: string, value: string): string =>
      problemsOf({ url: 'https://agents.example/acp', headers: { [name]: value } });
    assert.match(headers('Acp-Connection-Id', 'x'), /is set with each request/);
    assert.match(headers('Host', 'x'), /is set with each request/);
    assert.match(headers('two words', 'x'), /not a valid header name/);
    assert.match(headers('X-Key', 'a\r\nHost: evil'), /cannot have/);
    assert.match(headers('X-Key', '${secret:PATH}'), /not a valid secret name/);
    assert.match(headers('X-Key', '${secret:a b}'), /not a valid secret name/);
  });
});

describe('agentUrlProblem', () => {
  it('allows encrypted URLs, and others only to this machine', () => {
    for (const url of ['https://a.example/acp', 'wss://a.example', 'http://localhost:1/acp', 'ws://127.0.0.1:1']) {
      assert.equal(agentUrlProblem(url), undefined, url);
    }
    assert.equal(agentUrlProblem('ws://[::1]:8766/acp'), undefined);
    for (const url of ['http://a.example/acp', 'http://localhost.a.example/', 'http://127.0.0.1.a.example/']) {
      assert.match(agentUrlProblem(url) ?? '', /use https:/, url);
    }
    assert.match(agentUrlProblem('ws://a.example') ?? '', /use wss:/);
  });

  it('refuses other schemes, and secrets in the URL', () => {
    for (const url of ['ftp://a.example', 'file:///etc/passwd', 'a.example', '']) {
      assert.match(agentUrlProblem(url) ?? '', /begins with https: or wss:/, url);
    }
    assert.match(agentUrlProblem('https://user:key@a.example') ?? '', /user name and the password/);
    assert.match(agentUrlProblem('https://a.example/#x') ?? '', /after #/);
  });

  it('shows URLs without their query, and the host of another machine', () => {
    assert.equal(shownUrl('https://a.example:8443/acp?token=secret'), 'https://a.example:8443/acp');
    assert.equal(shownUrl('wss://a.example'), 'wss://a.example');
    assert.equal(remoteHostOf('wss://a.example:8443/acp'), 'a.example:8443');
    assert.equal(remoteHostOf('ws://localhost:1/acp'), undefined);
  });
});

describe('resolveHeaders', () => {
  const headers = { Authorization: 'Bearer ${secret:TOKEN}', 'X-Two': '${secret:A_KEY}-${secret:TOKEN}', Plain: 'x' };

  it('puts stored secrets in the place of their names, once each to store', () => {
    assert.deepEqual(secretNamesIn(headers), ['TOKEN', 'A_KEY']);
    const stored = { TOKEN: 'token-of-mine', A_KEY: 'another-key', OTHER: 'not-asked-for' };
    const resolved = resolveHeaders(headers, stored);
    assert.deepEqual(resolved.headers, {
      Authorization: 'Bearer token-of-mine',
      'X-Two': 'another-key-token-of-mine',
      Plain: 'x',
    });
    assert.deepEqual(resolved.missing, []);
    assert.ok(['token-of-mine', 'another-key'].every((secret) => resolved.secrets.includes(secret)));
    assert.ok(!resolved.secrets.includes('not-asked-for'));
  });

  it('names the secrets that are not stored', () => {
    assert.deepEqual(resolveHeaders(headers, { A_KEY: 'another-key' }).missing, ['TOKEN']);
    assert.deepEqual(resolveHeaders({ X: '${secret:toString}' }, {}).missing, ['toString']);
  });

  it('names the secrets that a header cannot contain', () => {
    const stored = { TOKEN: 'token…of-mine', A_KEY: 'another-key' };
    assert.deepEqual(resolveHeaders(headers, stored).unusable, ['TOKEN']);
    assert.deepEqual(resolveHeaders(headers, { ...stored, TOKEN: 'token-of-mine' }).unusable, []);
    assert.deepEqual(resolveHeaders(headers, { A_KEY: 'another-key' }).unusable, []);
  });

  it('inserts secrets as they are, also those that look like replacement patterns or references', () => {
    const strange = { TOKEN: '$&$1${secret:A_KEY}' };
    assert.equal(resolveHeaders({ X: '${secret:TOKEN}' }, strange).headers['X'], strange.TOKEN);
  });

  it('also counts credentials in the settings as secrets, but no other values', () => {
    const { secrets } = resolveHeaders({ authorization: 'Bearer written-here', 'X-Env': 'production' }, {});
    assert.ok(secrets.includes('written-here'));
    assert.ok(!secrets.includes('production'));
  });
});
