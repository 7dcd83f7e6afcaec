import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { ProviderChoice } from '../../../../../src/acp/common/providers/providerChoice';
import { applyProviderChoices } from '../../../../../src/acp/node/connection/applyProviderChoices';
import type { AcpBackend, AcpBackendDeps } from '../../../../../src/acp/node/session/acpBackend';
import { cwd, useBackends } from '../../../../fake/backendHarness';
import { v2BackendOf, v2Basics } from '../../../../fake/acp/scriptedV2Agent';

const gateway: ProviderChoice = {
  kind: 'address',
  apiType: 'openai',
  baseUrl: 'https://gateway.example.com/v1',
  headers: [
    { name: 'Authorization', value: 'Bearer sk-gateway-123' },
    { name: '__proto__', value: 'x' },
  ],
};
const listed = [
  { providerId: 'main', supported: ['openai'], required: true, current: null },
  { providerId: 'small', supported: ['openai'], required: false, current: null },
];
const Anything = z.looseObject({});

/** An agent's part that the test plays, in both versions of the protocol. */
interface Played {
  readonly hasProviders: boolean;
  readonly list: () => object;
  readonly set: () => object;
}

const plays: Played = { hasProviders: true, list: () => ({ providers: listed }), set: () => ({}) };

for (const version of [1, 2] as const) {
  describe(`the LLM providers of an agent of version ${version}`, () => {
    const makeV1 = useBackends();
    const backends: AcpBackend[] = [];
    let calls: unknown[];

    beforeEach(() => (calls = []));
    afterEach(() => {
      for (const backend of backends.splice(0)) backend.dispose();
    });

    function make(played: Partial<Played>, choices: ReadonlyMap<string, ProviderChoice>): AcpBackend {
      const { hasProviders, list, set } = { ...plays, ...played };
      const note = (name: string, work: () => object) => (given: { readonly params: object }) => {
        calls.push([name, given.params]);
        return work();
      };
      const providers: object = hasProviders ? { providers: {} } : {};
      const options: Partial<AcpBackendDeps> = {
        protocol: 'auto',
        prepareAgent: (client, signal) => applyProviderChoices(client, choices, 'Demo', signal),
      };
      if (version === 1) {
        return makeV1((app) => {
          app.onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: { ...providers } }));
          app.onRequest('session/new', () => {
            calls.push(['session/new']);
            return { sessionId: 's1' };
          });
          app.onRequest('providers/list', Anything, note('list', list));
          app.onRequest('providers/set', Anything, note('set', set));
          app.onRequest('providers/disable', Anything, note('disable', set));
        }, options).backend;
      }
      const { backend } = v2BackendOf((app) => {
        app.onRequest('providers/list', Anything, note('list', list));
        app.onRequest('providers/set', Anything, note('set', set));
        app.onRequest('providers/disable', Anything, note('disable', set));
        app.onRequest('session/new', () => {
          calls.push(['session/new']);
          return { sessionId: 's1' };
        });
        v2Basics(app, { capabilities: { session: {}, ...providers } });
      }, options);
      backends.push(backend);
      return backend;
    }

    it('are told before the first session what the user has chosen, with all headers', async () => {
      const choices = new Map<string, ProviderChoice>([
        ['main', gateway],
        ['small', { kind: 'disabled' }],
      ]);
      const backend = make({}, choices);
      await backend.createSession({ cwd });
      const headers = JSON.parse('{"Authorization":"Bearer sk-gateway-123","__proto__":"x"}') as object;
      assert.deepEqual(calls, [
        ['list', {}],
        ['set', { providerId: 'main', apiType: 'openai', baseUrl: 'https://gateway.example.com/v1', headers }],
        ['disable', { providerId: 'small' }],
        ['session/new'],
      ]);
      assert.equal(backend.hasLlmProviders, true);
    });

    it('are told again at each start', async () => {
      const backend = make({}, new Map([['main', gateway]]));
      await backend.capabilities();
      await backend.stop();
      await backend.capabilities();
      assert.deepEqual(
        calls.map((call) => z.tuple([z.string()]).rest(z.unknown()).parse(call)[0]),
        ['list', 'set', 'list', 'set'],
      );
    });

    it('are not asked anything if nothing was chosen', async () => {
      const backend = make({}, new Map());
      await backend.createSession({ cwd });
      assert.deepEqual(calls, [['session/new']]);
    });

    it('are listed on request, and undefined for an agent without them', async () => {
      const { signal } = new AbortController();
      assert.deepEqual(
        (await make({}, new Map()).llmProviders(signal))?.map(({ id }) => id),
        ['main', 'small'],
      );
      assert.equal(await make({ hasProviders: false }, new Map()).llmProviders(signal), undefined);
    });

    const refused = (message: string) => () => {
      throw new RequestError(-32602, message);
    };
    const disabled = new Map<string, ProviderChoice>([['main', { kind: 'disabled' }]]);
    const chosen = new Map([['main', gateway]]);
    const cases: readonly (readonly [string, Partial<Played>, ReadonlyMap<string, ProviderChoice>, RegExp])[] = [
      [
        'refuses the address',
        { set: refused('No such gateway') },
        chosen,
        /"main" did not accept .* \(Demo: No such gateway\)/,
      ],
      [
        'asks for a sign-in',
        {
          set: () => {
            throw RequestError.authRequired();
          },
        },
        chosen,
        /requires you to sign in.*\. Remove what you have set .*, sign in .*, then set it again\.$/,
      ],
      [
        'asks for a sign-in to list them',
        {
          list: () => {
            throw RequestError.authRequired();
          },
        },
        chosen,
        /could not list its LLM providers .*, sign in .*, then set it again\.$/,
      ],
      ['has lost the capability', { hasProviders: false }, chosen, /no longer lets other programs choose/],
      ['cannot list them', { list: refused('Broken') }, chosen, /could not list its LLM providers \(Demo: Broken\)/],
      ['lists nonsense', { list: () => ({}) }, chosen, /could not list its LLM providers \(.*invalid response/],
      ['has lost the provider', { list: () => ({ providers: [] }) }, chosen, /"main" is no longer there/],
      [
        'has lost the protocol',
        { list: () => ({ providers: [{ ...listed[0], supported: ['bedrock'] }] }) },
        chosen,
        /no longer supports the protocol "openai"/,
      ],
      ['requires what is disabled', {}, disabled, /can no longer be disabled/],
    ];
    for (const [what, played, choices, message] of cases) {
      it(`are not used if the agent ${what}, and it is not started again for that`, async () => {
        const backend = make(played, choices);
        await assert.rejects(backend.createSession({ cwd }), { code: 'notReady', message });
        assert.ok(backend.state.kind === 'failed');
        assert.match(backend.state.message, /was not started, because .*Manage LLM Providers/);
        assert.ok(!JSON.stringify(calls).includes('session/new'));
        assert.ok(calls.length <= 2, 'one start');
      });
    }
  });
}
