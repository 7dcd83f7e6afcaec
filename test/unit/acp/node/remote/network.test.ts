import assert from 'node:assert/strict';
import * as http from 'node:http';
import https from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { isBackendError } from '../../../../../src/session/common/sessionBackend';
import { cwd, Follower } from '../../../../fake/backendHarness';
import { addressOf, remoteBackendOf, serveAgents, transports } from '../../../../fake/acp/remoteAgents';
import { echo, ScriptedAgents } from '../../../../fake/acp/scriptedAgent';
import { makeCertificate, type CertificateOptions } from '../../../context/support/tlsServer';

describe('a remote agent over TLS', () => {
  const trusted = getCACertificates('default');
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    setDefaultCACertificates(trusted);
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function serve(options: CertificateOptions, isTrusted: boolean) {
    const tls = await makeCertificate(options);
    if (isTrusted) setDefaultCACertificates([...trusted, tls.cert]);
    const agents = new ScriptedAgents(echo);
    const server = await serveAgents(agents.start, { tls });
    cleanups.push(() => server.stop());
    return { agents, server };
  }

  function backendAt(url: string, transport: (typeof transports)[number]) {
    const { backend } = remoteBackendOf(() => addressOf(url, transport));
    cleanups.push(() => backend.stop());
    return backend;
  }

  for (const transport of transports) {
    it(`works over ${transport} with a certificate that this machine trusts`, async () => {
      const { server } = await serve({}, true);
      assert.match(server.url, /^https:/);
      const backend = backendAt(server.url, transport);
      const session = await backend.createSession({ cwd });
      const follower = new Follower(session);
      await session.sendPrompt({ text: 'hello' });
      await follower.next('prompt:complete');
      assert.match(JSON.stringify(follower.all('content_block:delta')), /hello/);
    });

    for (const [problem, options, isTrusted] of [
      ['is self-signed', {}, false],
      ['has expired', { expired: true }, true],
      ['is for another host', { host: 'DNS:elsewhere.example' }, true],
    ] as const) {
      it(`gets nothing over ${transport} if its certificate ${problem}`, async () => {
        const { agents, server } = await serve(options, isTrusted);
        await assert.rejects(backendAt(server.url, transport).capabilities(), (error) => {
          assert.ok(isBackendError(error));
          assert.match(
            error.message,
            new RegExp(`^Demo is unavailable\\. Nothing was sent to .*: its certificate ${problem}`),
          );
          return true;
        });
        assert.deepEqual(agents.started, []);
      });
    }

    it(`uses over ${transport} the functions of node:http and node:https that VS Code replaces for its proxy`, async () => {
      const asked: string[] = [];
      const own = https.request;
      // VS Code assigns functions like this one to the module.
      https.request = (...args: unknown[]) => {
        asked.push(args[0] instanceof URL ? args[0].href : JSON.stringify(args[0] ?? {}, ['host', 'path']));
        return http.request({ host: '127.0.0.1', port: 1, path: '/' });
      };
      cleanups.push(() => {
        https.request = own;
      });
      await assert.rejects(backendAt('https://agent.test/acp', transport).capabilities(), /No agent answers at/);
      assert.equal(asked.length, 1);
      assert.match(asked[0] ?? '', /agent\.test/);
    });
  }
});
