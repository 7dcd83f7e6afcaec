import assert from 'node:assert/strict';
import { ServerTokens } from '../../../../../src/amplifier/common/server/serverTokens';

describe('the token of a server', () => {
  let secrets: Map<string, string>;
  let tokens: ServerTokens;
  const here = new URL('http://127.0.0.1:8765');

  beforeEach(() => {
    secrets = new Map();
    tokens = new ServerTokens({
      get: (name) => Promise.resolve(secrets.get(name)),
      store: (name, value) => Promise.resolve(void secrets.set(name, value)),
      delete: (name) => Promise.resolve(void secrets.delete(name)),
    });
  });

  it('goes to its own server only', async () => {
    await tokens.setToken(here, ' t0ken\n');
    assert.equal(await tokens.tokenFor(new URL('http://127.0.0.1:8765/base')), 't0ken');
    for (const other of ['http://127.0.0.1:8766', 'http://localhost:8765', 'https://127.0.0.1:8765']) {
      assert.equal(await tokens.tokenFor(new URL(other)), undefined, other);
    }
  });

  it('is removed by an empty one', async () => {
    await tokens.setToken(here, 't');
    await tokens.setToken(here, ' ');
    assert.equal(await tokens.tokenFor(here), undefined);
    assert.equal(secrets.size, 0);
  });

  it('is never sent where others could read it', async () => {
    await assert.rejects(tokens.setToken(new URL('http://amp.example:8765'), 't'), /https/);
    assert.equal(secrets.size, 0);
    secrets.set('backline.amplifier.token http://amp.example:8765', 'kept by mistake');
    assert.equal(await tokens.tokenFor(new URL('http://amp.example:8765')), undefined);
    await tokens.setToken(new URL('https://amp.example'), 't');
    assert.equal(await tokens.tokenFor(new URL('http://amp.example')), undefined);
  });
});
