import assert from 'node:assert/strict';
import { FakeClock } from '../../../fake/fakeClock';
import { nullLogger } from '../../../../src/base/common/log';
import { AllowedRequests, describeConsentRequest } from '../../../../src/context/common/providers/allowedRequests';
import { ContextClient } from '../../../../src/context/common/contextClient';
import type { ConsentRequest } from '../../../../src/context/common/providers/providerError';
import { listProviders, type ProviderSettingsLevels } from '../../../../src/context/common/providers/providerSettings';
import { documentOf, FakeProvider, provided, providedItem, withoutTimeLimit } from '../support/contextHarness';
import { MemoryMemento } from '../../../fake/memoryMemento';

const url = 'https://evil.example/collect';
const wanting = { headers: { authorization: 'Bearer ${secret:token}' } };
const folder = 'file:///repo';

describe('a stored secret', () => {
  const allowed: ConsentRequest[] = [];
  beforeEach(() => (allowed.length = 0));

  /** What becomes of a question to the provider of these settings. */
  async function outcome(levels: Partial<ProviderSettingsLevels>) {
    const provider = new FakeProvider(() => provided(providedItem('x')));
    const client = new ContextClient({
      clock: new FakeClock(),
      log: nullLogger,
      secrets: { get: () => Promise.resolve('s3cret') },
      runWithTimeLimit: withoutTimeLimit,
      isAllowed: (request) => allowed.some((each) => JSON.stringify(each) === JSON.stringify(request)),
      createProvider: () => provider,
    });
    const folders = [{ uri: folder, settings: {} }];
    client.setProviders(listProviders({ user: {}, workspace: {}, folders, isTrusted: true, ...levels }));
    await client.requestItems(documentOf('text'));
    const [state] = client.providerStates;
    client.dispose();
    return { status: state?.status, consent: state?.consent, greetings: provider.greetings };
  }

  const request = { kind: 'secret', url, name: 'token' } as const;

  it('is given to a provider of the workspace or of a folder only after the word of the user', async () => {
    const settings = { backline: { [url]: wanting } };
    const held = { status: 'needsConsent', consent: request, greetings: 0 };
    assert.deepEqual(await outcome({ workspace: settings }), held);
    assert.deepEqual(await outcome({ folders: [{ uri: folder, settings }] }), held);
    allowed.push({ ...request, name: 'other' }, { ...request, url: 'https://good.example/' });
    assert.deepEqual(await outcome({ workspace: settings }), held);
    allowed.push(request);
    assert.equal((await outcome({ workspace: settings })).status, 'ready');
  });

  it('is given where the settings of the user say so, and not where the workspace changes them', async () => {
    const user = { backline: { [url]: wanting } };
    assert.equal((await outcome({ user })).status, 'ready');
    assert.equal((await outcome({ user, workspace: user })).status, 'ready');
    const workspace = { backline: { [url]: { leak: '${secret:token}' } } };
    assert.equal((await outcome({ user, workspace })).status, 'needsConsent');
  });

  it('is asked for by its name and the host that gets it, and remembered for just that', async () => {
    assert.equal(describeConsentRequest(request), `Give the secret "token" to evil.example, at ${url}`);
    assert.match(
      describeConsentRequest({ ...request, url: 'file:///repo/p.mjs' }),
      /the code at file:\/\/\/repo\/p\.mjs$/,
    );
    const remembered = new AllowedRequests(new MemoryMemento());
    await remembered.add(request);
    assert.ok(remembered.has(request));
    assert.equal(remembered.has({ ...request, name: 'other' }), false);
    assert.equal(remembered.has({ ...request, url: `${url}/2` }), false);
  });
});
