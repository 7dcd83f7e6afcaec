import assert from 'node:assert/strict';
import { serverStatus, type ServerStatusInput } from '../../../../../src/amplifier/common/server/serverStatus';

const action = (label: string) => ({ label, command: label });
const actions = {
  openSettings: action('settings'),
  setApiKey: action('key'),
  setToken: action('token'),
  chooseContext: action('context'),
  manageTrust: action('trust'),
};
const url = new URL('https://amp.example/base');

function said(situation: Partial<ServerStatusInput>): string {
  const whole: ServerStatusInput = { isTrusted: true, server: { url }, news: { kind: 'notAsked' }, ...situation };
  const { state, summary, actions: offered = [] } = serverStatus(whole, actions);
  return `${state}: ${summary} [${offered.map(({ label }) => label).join(' ')}]`;
}

describe('the status of the Amplifier server', () => {
  for (const [name, situation, expected] of [
    ['not asked yet', {}, 'off: Checking for a server at https://amp.example… [settings]'],
    [
      'answering',
      { news: { kind: 'answers', version: '1.0' } },
      'ready: Version 1.0 is running at https://amp.example. [key context settings]',
    ],
    [
      'answering without a version',
      { news: { kind: 'answers' } },
      'ready: A server is running at https://amp.example. [key context settings]',
    ],
    [
      'not there',
      { news: { kind: 'unreachable' } },
      'off: No Amplifier server is running at amp.example. Start it or change the settings. [settings token key]',
    ],
    [
      'not what it should be',
      { news: { kind: 'unusable', message: 'Is this an Amplifier server?' } },
      'off: Is this an Amplifier server? [token settings]',
    ],
    [
      'in want of a token',
      { news: { kind: 'needsToken', message: 'It needs a token.' } },
      'off: It needs a token. [token settings]',
    ],
    [
      'not sent the key',
      { news: { kind: 'answers' }, keyProblem: 'Use https.' },
      'attention: A server is running at https://amp.example. Use https. [settings key]',
    ],
    ['lost by who uses it', { news: { kind: 'missed', message: 'Lost.' } }, 'attention: Lost. [settings token]'],
    ['set to nonsense', { server: { problem: 'Correct it.' } }, 'attention: Correct it. [settings]'],
    [
      'not trusted',
      { isTrusted: false, news: { kind: 'answers' } },
      'off: Amplifier is disabled in untrusted workspaces. [trust]',
    ],
  ] satisfies [string, Partial<ServerStatusInput>, string][]) {
    it(`that is ${name} explains what to do`, () => assert.equal(said(situation), expected));
  }

  it('that is the window itself says so, whatever was heard of it', () => {
    const server = { url: new URL('http://127.0.0.1:8765') };
    const text = said({ isOwn: true, server, news: { kind: 'needsToken', message: 'It needs a token.' } });
    assert.match(text, /^off: This window serves its own agents at http:\/\/127\.0\.0\.1:8765.* \[settings\]$/);
  });
});
