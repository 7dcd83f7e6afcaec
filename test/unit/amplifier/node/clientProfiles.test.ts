import assert from 'node:assert/strict';
import * as z from 'zod';
import { DocumentDialectServer } from '../../../fake/amplifier/documentDialectServer';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import type { ConfigOption } from '../../../../src/session/common/sessionEvents';
import { connectTo, type Harness } from './clientHarness';

const Made = z.object({ profile: z.string(), model: z.string().optional() });

type SelectOption = Extract<ConfigOption, { type: 'select' }>;

function select(options: readonly ConfigOption[], id: string): SelectOption {
  const option = options.find((candidate) => candidate.id === id);
  if (option?.type !== 'select') throw new Error(`there is no ${id}`);
  return option;
}

describe('the profile of a session', () => {
  let setting: string;
  let harness: Harness | undefined;
  let server: RealDialectServer | DocumentDialectServer;

  beforeEach(() => {
    setting = '';
  });
  afterEach(async () => {
    harness?.backend.dispose();
    await server.stop();
  });

  function connect(): Harness['backend'] {
    harness = connectTo(server.url, { profile: () => setting });
    return harness.backend;
  }

  const made = (): unknown[] =>
    server.requests
      .filter(({ method, path }) => method === 'POST' && path === '/sessions')
      .map(({ body }) => Made.parse(JSON.parse(body)));

  describe('on the real server, which cannot list its profiles,', () => {
    beforeEach(async () => {
      server = new RealDialectServer({ script: () => Promise.resolve() });
      await server.start();
    });

    it('is the one that it ships, without any choice', async () => {
      await connect().createSession({ cwd: '/ws' });
      assert.deepEqual(made(), [{ profile: 'vscode-simple' }]);
    });

    it('is that of the setting', async () => {
      setting = 'vscode-test';
      await connect().createSession({ cwd: '/ws' });
      assert.deepEqual(made(), [{ profile: 'vscode-test' }]);
    });

    it('can be typed, with the usual names to choose from', async () => {
      const [profile, ...others] = await connect().sessionOptions({});
      assert.deepEqual(others, []);
      assert.ok(profile?.type === 'select');
      assert.equal(profile.value, 'vscode-simple');
      assert.equal(profile.custom, true);
      assert.deepEqual(
        profile.choices.map(({ value }) => value),
        ['vscode-simple', 'vscode-dev', 'dev', 'foundation'],
      );
      const [typed] = await connect().sessionOptions({ profile: 'my-own' });
      assert.equal(typed?.value, 'my-own');
    });

    it('that is not there is named, with others to try, and the choice offers them until one works', async () => {
      const backend = connect();
      const refused = { code: 'invalidRequest', message: /profile "dev".*"vscode-simple", "vscode-dev" or / };
      await assert.rejects(backend.createSession({ cwd: '/ws', profile: 'dev' }), refused);
      const profile = select(await backend.sessionOptions({ profile: 'dev' }), 'profile');
      assert.equal(profile.value, 'dev');
      assert.match(profile.problem ?? '', refused.message);
      assert.ok(!profile.choices.some(({ value }) => value === 'dev'));
      const other = select(await backend.sessionOptions({ profile: 'vscode-dev' }), 'profile');
      assert.equal(other.problem, undefined);
      await backend.createSession({ cwd: '/ws', profile: 'vscode-dev' });
    });

    it('is not blamed for another failure', async () => {
      server.intercept = ({ method, url }, response) => {
        if (method !== 'POST' || url !== '/sessions') return false;
        const error = { code: 'SESSION_CREATE_FAILED', message: 'Failed to load the modules of the profile' };
        response.writeHead(500, { 'Content-Type': 'application/json' }).end(JSON.stringify({ detail: { error } }));
        return true;
      };
      const backend = connect();
      await assert.rejects(backend.createSession({ cwd: '/ws' }), { code: 'backend', message: /load the modules/ });
      assert.equal(select(await backend.sessionOptions({}), 'profile').problem, undefined);
    });
  });

  describe('on a server to the letter of the document', () => {
    async function start(profiles?: readonly string[]): Promise<void> {
      server = new DocumentDialectServer({ script: () => undefined, ...(profiles ? { profiles } : {}) });
      await server.start();
    }

    it('is one of its list, and so is the model that its profile names', async () => {
      await start();
      const backend = connect();
      const options = await backend.sessionOptions({});
      const profile = select(options, 'profile');
      assert.equal(profile.value, 'dev');
      assert.equal(profile.custom, undefined);
      assert.deepEqual(
        profile.choices.map(({ value }) => value),
        ['foundation', 'dev', 'design-intelligence:architect'],
      );
      assert.deepEqual(
        select(options, 'model').choices.map(({ value }) => value),
        ['', 'claude-sonnet-4-5'],
      );
      await backend.createSession({ cwd: '/ws', profile: 'foundation', model: 'claude-sonnet-4-5' });
      assert.deepEqual(made(), [{ profile: 'foundation', model: 'claude-sonnet-4-5' }]);
    });

    it('is the first of the list when it has none that is asked for', async () => {
      setting = 'gone';
      await start(['one', 'two']);
      const backend = connect();
      assert.equal(select(await backend.sessionOptions({ profile: 'gone too' }), 'profile').value, 'one');
      await assert.rejects(backend.createSession({ cwd: '/ws', profile: 'gone' }), {
        code: 'invalidRequest',
        message: 'The server doesn’t have a profile "gone". Choose another one, for example "one" or "two".',
      });
    });

    it('that answers 401 needs a token, and is not starting for ever', async () => {
      await start();
      server.intercept = (_request, response) => {
        response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"detail":"Unauthorized"}');
        return true;
      };
      const backend = connect();
      const needsToken = { code: 'authRequired', message: /requires a valid token.*Set Amplifier Server Token/ };
      await assert.rejects(backend.sessionOptions({}), needsToken);
      assert.equal(backend.state.kind, 'authRequired');
      await assert.rejects(backend.createSession({ cwd: '/ws' }), needsToken);
      server.intercept = () => false;
      await backend.createSession({ cwd: '/ws' });
      assert.equal(backend.state.kind, 'ready');
    });

    it('that refuses the question whether it is there has failed', async () => {
      await start();
      server.intercept = (_request, response) => {
        response.writeHead(500).end();
        return true;
      };
      const backend = connect();
      await assert.rejects(backend.createSession({ cwd: '/ws' }));
      assert.equal(backend.state.kind, 'failed');
    });
  });
});
