import assert from 'node:assert/strict';
import { ServerConsent } from '../../../../src/amplifier/node/serverConsent';
import type { ConsentSubjectSource } from '../../../../src/consent/common/consentSubject';
import { isBackendError } from '../../../../src/session/common/sessionBackend';
import { answeringConsent, type AnsweringConsent } from '../../../fake/answeringConsent';

const ofWorkspace: ConsentSubjectSource = { file: '/ws/.vscode/settings.json', keys: ['amplifier.server.host'] };
const far = new URL('https://far.example/api');

describe('consent for the server of a workspace', () => {
  let user: AnsweringConsent;
  let source: ConsentSubjectSource | undefined;
  let consent: ServerConsent;

  beforeEach(() => {
    user = answeringConsent('ask');
    source = ofWorkspace;
    consent = new ServerConsent({ consent: user, sourceOf: () => source });
  });

  it('is needed for another machine, and asked for only when the server is used', async () => {
    assert.equal(consent.decide(far), 'ask');
    assert.deepEqual(user.asked, []);
    await assert.rejects(consent.require(far), (error) => isBackendError(error) && error.code === 'notReady');
    assert.deepEqual(
      user.asked.map(({ facts }) => facts),
      [[{ label: 'Connects to', value: 'https://far.example' }]],
    );
  });

  it('is given once for an origin, and not for another one', async () => {
    user.answer = 'allowed';
    await consent.require(far);
    await consent.require(new URL('https://far.example/other'));
    assert.equal(user.asked.length, 1);
    for (const other of ['https://far.example:8443', 'http://far.example', 'https://farther.example'])
      assert.equal(consent.decide(new URL(other)), 'ask', other);
  });

  it('keeps a denial', async () => {
    user.answer = 'denied';
    await assert.rejects(consent.require(far), /You have not allowed the server https:\/\/far\.example/);
    assert.equal(consent.decide(far), 'denied');
  });

  it('marks a connection that others can read', () => {
    consent.decide(new URL('http://far.example'));
    assert.deepEqual(user.seen[0]?.facts, [
      { label: 'Connects to', value: 'http://far.example', warning: 'not encrypted' },
    ]);
  });

  it('is not needed on this machine, or if the user has set the same address, and then no longer listed', async () => {
    for (const own of ['http://127.0.0.1:8765', 'http://localhost:1', 'http://[::1]:1'])
      assert.equal(consent.decide(new URL(own)), 'allowed', own);
    assert.equal(consent.decide(new URL('http://0.0.0.0:1')), 'ask');
    assert.equal(user.seen.length, 1);
    source = undefined;
    await consent.require(far);
    assert.equal(consent.decide(far), 'allowed');
    assert.deepEqual([user.asked, user.seen], [[], []]);
  });
});
