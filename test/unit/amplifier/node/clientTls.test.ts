import assert from 'node:assert/strict';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { nullLogger } from '../../../../src/base/common/log';
import { AmplifierApiError } from '../../../../src/amplifier/common/api/apiErrors';
import { AmplifierClient } from '../../../../src/amplifier/node/client/http/amplifierClient';
import { openSseConnection } from '../../../../src/amplifier/node/client/stream/sseConnection';
import { openWebSocketConnection } from '../../../../src/amplifier/node/client/stream/webSocketConnection';
import { makeCertificate, startTlsServer, type Certificate, type TlsServer } from '../../context/support/tlsServer';
import { connectTo } from './clientHarness';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

const token = 'token-of-the-server';

describe('an Amplifier server over https', () => {
  const trusted = getCACertificates('default');
  let server: TlsServer | undefined;
  let asked: string[];

  beforeEach(() => {
    asked = [];
  });
  afterEach(() => {
    server?.close();
    server = undefined;
    setDefaultCACertificates(trusted);
  });

  async function serve(certificate: Certificate, isTrusted: boolean): Promise<URL> {
    if (isTrusted) setDefaultCACertificates([...trusted, certificate.cert]);
    server = await startTlsServer(certificate, ({ url = '', headers }, response) => {
      asked.push(`${url} ${headers.authorization ?? ''}`);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"profiles":[]}');
    });
    return new URL(server.origin);
  }

  it('is asked, with its token, when its certificate is trusted', async () => {
    const baseUrl = await serve(await makeCertificate(), true);
    const client = new AmplifierClient({ http: new OutgoingHttp(), baseUrl, log: nullLogger, token });
    await client.listProfiles().catch(() => undefined);
    assert.equal(asked.length, 1);
    assert.ok(asked[0]?.endsWith(`Bearer ${token}`));
    client.dispose();
  });

  for (const [problem, options, isTrusted, advice] of [
    ['is self-signed', {}, false, /NODE_EXTRA_CA_CERTS/],
    ['has expired', { expired: true }, true, /operator of the server/],
    ['is for another host', { host: 'DNS:elsewhere.example' }, true, /host name in the URL/],
  ] as const) {
    describe(`whose certificate ${problem}`, () => {
      const isClear = (error: unknown): boolean => {
        assert.ok(error instanceof AmplifierApiError, String(error));
        assert.equal(error.code, 'CERTIFICATE');
        assert.ok(error.message.includes(`its certificate ${problem}`), error.message);
        assert.match(error.toBackendError().message, advice);
        return true;
      };

      it('gets no request, so neither token nor key', async () => {
        const baseUrl = await serve(await makeCertificate(options), isTrusted);
        const client = new AmplifierClient({ http: new OutgoingHttp(), baseUrl, log: nullLogger, token });
        await assert.rejects(client.listProfiles(), isClear);
        const credentials = () => Promise.resolve({ anthropic_api_key: 'sk-secret' });
        const { backend, log } = connectTo(baseUrl, { client, credentials });
        await assert.rejects(backend.createSession({ cwd: '/ws' }), /its certificate/);
        assert.deepEqual(asked, []);
        assert.ok(!JSON.stringify(log.lines).includes('sk-secret'));
        backend.dispose();
      });

      for (const [name, open] of [
        ['stream', openSseConnection],
        ['WebSocket', openWebSocketConnection],
      ] as const) {
        it(`gets no ${name}`, async () => {
          const url = await serve(await makeCertificate(options), isTrusted);
          const ended = await new Promise<AmplifierApiError>((resolve) => {
            open(
              {
                http: new OutgoingHttp(),
                url: name === 'WebSocket' ? new URL(url.href.replace('https:', 'wss:')) : url,
                headers: { Authorization: `Bearer ${token}` },
                maxEventLength: 1_000_000,
                connectTimeoutMs: 45_000,
                redact: (text) => text,
              },
              {
                onOpen: () => assert.fail('it was opened'),
                onActivity: () => undefined,
                onId: () => undefined,
                onMessage: () => undefined,
                onKeepAlive: () => undefined,
                onRetry: () => undefined,
                onOversize: () => undefined,
                onEnd: resolve,
              },
            );
          });
          isClear(ended);
          assert.deepEqual(asked, []);
        });
      }
    });
  }
});
